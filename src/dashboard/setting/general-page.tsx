import { Page } from '../ui/page.tsx'

export const GeneralPage = () => <Page title="General">…</Page>
