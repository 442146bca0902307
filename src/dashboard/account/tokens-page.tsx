import { Page } from '../ui/page.tsx'

export const TokensPage = () => <Page title="Tokens">…</Page>
