import { Page } from '../ui/page.tsx'

export const DomainsPage = () => <Page title="Domains">…</Page>
