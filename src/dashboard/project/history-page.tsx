import { Page } from '../ui/page.tsx'

export const HistoryPage = () => <Page title="History">…</Page>
