import { Page } from '../ui/page.tsx'

export const BackupsPage = () => <Page title="Backups">…</Page>
