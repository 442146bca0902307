import { Page } from '../ui/page.tsx'

export const DomainPage = () => <Page title="Domain">…</Page>
