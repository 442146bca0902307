import { Page } from '../ui/page.tsx'

export const AdvancedPage = () => <Page title="Advanced">…</Page>
