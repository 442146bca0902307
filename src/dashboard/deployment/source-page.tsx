import { Page } from '../ui/page.tsx'

export const SourcePage = () => <Page title="Source">…</Page>
