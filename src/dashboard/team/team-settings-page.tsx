import { Page } from '../ui/page.tsx'

export const TeamSettingsPage = () => <Page title="Team Settings">…</Page>
