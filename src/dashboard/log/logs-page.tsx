import { Page } from '../ui/page.tsx'

export const LogsPage = () => <Page title="Logs">…</Page>
