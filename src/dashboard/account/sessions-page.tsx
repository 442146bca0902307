import { Page } from '../ui/page.tsx'

export const SessionsPage = () => <Page title="Sessions">…</Page>
