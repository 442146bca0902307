import type { TrustedType } from '#contract/api/project.ts'
import type { ProjectDetails } from '../project/project-details.ts'
import type { SiteProtection } from './site.ts'

/** What a host is to its project: a name that production is visited under, the own host of a deployment, or neither. */
export type HostFace = 'production-name' | 'production-url' | 'preview'

/** The hosts that a protection covers. */
const COVERED = {
  all: ['production-name', 'production-url', 'preview'],
  preview: ['preview'],
  prod_deployment_urls_and_all_previews: ['production-url', 'preview'],
  production: ['production-name', 'production-url'],
} as const satisfies Record<TrustedType, readonly HostFace[]>

type Guarding = Pick<
  ProjectDetails,
  'trustedIps' | 'optionsAllowlist' | 'protectionBypass' | 'ssoProtection' | 'passwordProtection'
>

/** Who may visit such a host of a project; undefined: everybody. */
export function protectionOf(details: Guarding, face: HostFace): SiteProtection | undefined {
  const covers = (part: { readonly deploymentType: TrustedType } | null): boolean =>
    part !== null && (COVERED[part.deploymentType] as readonly HostFace[]).includes(face)
  const { trustedIps, ssoProtection, passwordProtection } = details
  const hasTrusted = covers(trustedIps)
  const hasPassword = covers(passwordProtection)
  const sso = covers(ssoProtection)
  if (!hasTrusted && !sso && !hasPassword) return undefined
  return {
    ...(trustedIps !== null &&
      hasTrusted && {
        trustedIps: {
          addresses: trustedIps.addresses.map(({ value }) => value),
          mode: trustedIps.protectionMode,
        },
      }),
    optionsPaths: details.optionsAllowlist?.paths.map(({ value }) => value) ?? [],
    bypassHashes: details.protectionBypass.map(({ hash }) => hash),
    sso,
    ...(passwordProtection !== null &&
      hasPassword && {
        password: { sealed: passwordProtection.password, version: passwordProtection.version },
      }),
  }
}
