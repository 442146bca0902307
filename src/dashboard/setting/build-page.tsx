import { Page } from '../ui/page.tsx'

export const BuildPage = () => <Page title="Build">…</Page>
