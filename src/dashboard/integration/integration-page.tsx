import { Page } from '../ui/page.tsx'

export const IntegrationPage = () => <Page title="Integration">…</Page>
