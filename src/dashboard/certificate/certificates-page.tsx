import { Page } from '../ui/page.tsx'

export const CertificatesPage = () => <Page title="Certificates">…</Page>
