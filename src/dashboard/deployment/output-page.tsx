import { Page } from '../ui/page.tsx'

export const OutputPage = () => <Page title="Output">…</Page>
