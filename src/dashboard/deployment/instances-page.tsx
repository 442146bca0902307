import { Page } from '../ui/page.tsx'

export const InstancesPage = () => <Page title="Instances">…</Page>
