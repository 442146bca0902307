import { Page } from '../ui/page.tsx'

export const SecretsPage = () => <Page title="Secrets">…</Page>
