import { Page } from '../ui/page.tsx'

export const DrainsPage = () => <Page title="Drains">…</Page>
