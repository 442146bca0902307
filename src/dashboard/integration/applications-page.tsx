import { Page } from '../ui/page.tsx'

export const ApplicationsPage = () => <Page title="Applications">…</Page>
