import { Page } from '../ui/page.tsx'

export const AliasesPage = () => <Page title="Aliases">…</Page>
