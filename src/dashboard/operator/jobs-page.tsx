import { Page } from '../ui/page.tsx'

export const JobsPage = () => <Page title="Jobs">…</Page>
