import { listCertificates } from '#contract/api/certificate.ts'
import { listDomains } from '#contract/api/domain.ts'
import { listProjects } from '#contract/api/project.ts'
import { listSecrets } from '#contract/api/secret.ts'
import { useEvery } from './query.ts'

/** Lists that filters and names are taken from: whoever has very many finds all of them. */
export const useAllProjects = () => useEvery('project', listProjects, ({ projects }) => projects)
export const useAllDomains = () => useEvery('domain', listDomains, ({ domains }) => domains)
export const useAllCertificates = () => useEvery('certificate', listCertificates, ({ certs }) => certs)
export const useAllSecrets = (options?: { readonly enabled: boolean }) =>
  useEvery('secret', listSecrets, ({ secrets }) => secrets, options)
