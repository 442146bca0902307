import { Page } from '../ui/page.tsx'

export const ProtectionPage = () => <Page title="Protection">…</Page>
