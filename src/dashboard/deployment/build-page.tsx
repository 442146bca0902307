import { Page } from '../ui/page.tsx'

export const DeploymentBuildPage = () => <Page title="Deployment Build">…</Page>
