import { Page } from '../ui/page.tsx'

export const VariablesPage = () => <Page title="Variables">…</Page>
