import { Page } from '../ui/page.tsx'

export const HealthPage = () => <Page title="Health">…</Page>
