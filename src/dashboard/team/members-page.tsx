import { Page } from '../ui/page.tsx'

export const MembersPage = () => <Page title="Members">…</Page>
