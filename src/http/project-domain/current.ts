import { challengeHost } from '#core/project-domain/claims.ts'
import type { HostInspection } from '#core/project-domain/inspect-host.ts'
import type { ProjectDomain } from '#core/project-domain/project-domain.ts'
import { check } from '../domain/current.ts'

export const domain = (d: ProjectDomain) => ({
  name: d.name,
  apexName: d.apexName,
  projectId: d.projectId,
  redirect: d.redirect,
  redirectStatusCode: d.redirectStatusCode,
  gitBranch: d.gitBranch,
  customEnvironmentId: d.customEnvironmentId,
  verified: d.verified,
  ...(d.challenge === null ? {} : { verification: [challenge(d.apexName, d.challenge)] }),
  createdAt: d.createdAt,
  updatedAt: d.updatedAt,
})

const challenge = (apexName: string, value: string) => ({
  type: 'TXT' as const,
  domain: challengeHost(apexName),
  value,
  reason: 'pending_domain_verification' as const,
})

export const inspection = ({ checks, records, ...rest }: HostInspection) => ({
  ...rest,
  checks: checks.map(check),
  records: [...records],
})
