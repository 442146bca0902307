import { Page } from '../ui/page.tsx'

export const ProjectsPage = () => <Page title="Projects">…</Page>
