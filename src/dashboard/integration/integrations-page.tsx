import { Page } from '../ui/page.tsx'

export const IntegrationsPage = () => <Page title="Integrations">…</Page>
