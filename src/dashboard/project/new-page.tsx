import { Page } from '../ui/page.tsx'

export const NewPage = () => <Page title="New">…</Page>
