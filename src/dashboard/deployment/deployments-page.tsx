import { Page } from '../ui/page.tsx'

export const DeploymentsPage = () => <Page title="Deployments">…</Page>
