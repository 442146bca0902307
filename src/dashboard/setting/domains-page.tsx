import { Page } from '../ui/page.tsx'

export const ProjectDomainsPage = () => <Page title="Project Domains">…</Page>
