import { Page } from '../ui/page.tsx'

export const ComparePage = () => <Page title="Compare">…</Page>
