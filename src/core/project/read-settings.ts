import type { Framework, GitType, ProtectedType } from '#contract/api/project.ts'
import { invalidRequest } from '#contract/errors.ts'
import type { Plan } from '#contract/limit/limits.ts'
import { readGitLink } from './git-link.ts'
import type { BuildSettings, Project } from './project.ts'
import type { ProjectDetails } from './project-details.ts'
import { readProjectName } from './project-name.ts'
import type { ProjectChange } from './project-store.ts'
import { readAllowlist, readPassword, readSso, readTrustedIps } from './read-protection.ts'

type Requested<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** Settings that are taken as they come, and are in the project under the same name. */
const BUILD_KEYS = [
  'framework',
  'installCommand',
  'buildCommand',
  'devCommand',
  'commandForIgnoringBuildStep',
  'nodeVersion',
  'sourceFilesOutsideRootDirectory',
] as const satisfies readonly (keyof BuildSettings)[]
const DETAIL_KEYS = [
  'publicSource',
  'autoAssignCustomDomains',
  'autoAssignCustomDomainsUpdatedBy',
  'autoExposeSystemEnvs',
  'customerSupportCodeVisibility',
  'enablePreviewFeedback',
  'gitForkProtection',
  'gitLFS',
  'productionBranch',
  'serverlessFunctionRegion',
  'serverlessFunctionZeroConfigFailover',
  'skipGitConnectDuringLink',
  'emailOnFailedBuild',
  'skewProtectionBoundaryAt',
  'skewProtectionMaxAge',
] as const satisfies readonly (keyof ProjectDetails)[]

/** What a request may set. What is undefined stays as it is; null clears. */
export type Settings = Requested<Pick<BuildSettings, Exclude<(typeof BUILD_KEYS)[number], 'framework'>>> &
  Requested<Pick<BuildSettings, 'outputDirectory' | 'rootDirectory'>> &
  Requested<Pick<ProjectDetails, (typeof DETAIL_KEYS)[number]>> &
  Requested<Pick<ProjectDetails, 'optionsAllowlist' | 'ssoProtection' | 'trustedIps'>> & {
    readonly name?: string | undefined
    readonly framework?: Framework | null | undefined
    readonly directoryListing?: boolean | undefined
    readonly passwordProtection?:
      | { readonly deploymentType: ProtectedType; readonly password?: string | null }
      | null
      | undefined
    readonly gitRepository?: { readonly type: GitType; readonly repo: string } | undefined
  }

export interface Circumstances {
  readonly plan: Plan
  readonly userId: string
  readonly now: number
  readonly seal: (password: string) => string
}

/** What these settings make of a project, after everything was checked that needs no store. */
export function readSettings(project: Project, given: Settings, on: Circumstances): ProjectChange {
  return {
    ...(given.name === undefined || given.name === project.name ? {} : { name: readProjectName(given.name) }),
    ...(given.directoryListing === undefined ? {} : { directoryListing: given.directoryListing }),
    build: { ...project.build, ...taken(given, BUILD_KEYS), ...folders(given) },
    details: { ...project.details, ...taken(given, DETAIL_KEYS), ...guarded(project, given, on) },
  }
}

const taken = <K extends keyof Settings>(
  given: Settings,
  keys: readonly K[],
): { readonly [P in K]?: Exclude<Settings[P], undefined> } =>
  Object.fromEntries(keys.filter((key) => given[key] !== undefined).map((key) => [key, given[key]])) as never

const folders = ({ outputDirectory, rootDirectory }: Settings) => ({
  ...(outputDirectory === undefined ? {} : { outputDirectory: readOutput(outputDirectory) }),
  ...(rootDirectory === undefined ? {} : { rootDirectory: readFolder('rootDirectory', rootDirectory) }),
})

/** All of the root directory can be what is served, which is not the same as leaving it to what is found out. */
const readOutput = (text: string | null): string | null =>
  /^(?:\.\/*)+$/.test((text ?? '').trim()) ? '.' : readFolder('outputDirectory', text)

/** A folder below another one; null for that one itself. */
export function readFolder(name: string, text: string | null): string | null {
  const folder = (text ?? '').trim().replace(/^(?:\.\/+)+|\/+$/g, '')
  if (folder === '' || folder === '.') return null
  if (/^[/\\]|\p{Cc}/u.test(folder) || folder.split(/[/\\]/).includes('..'))
    throw invalidRequest(`\`${name}\` should be a folder inside the project`)
  return folder
}

function guarded({ details }: Project, given: Settings, on: Circumstances): Partial<ProjectDetails> {
  const {
    optionsAllowlist: allowed,
    passwordProtection: password,
    ssoProtection: sso,
    trustedIps: ips,
  } = given
  const { autoAssignCustomDomains, autoAssignCustomDomainsUpdatedBy, gitRepository } = given
  const skipsLink = given.skipGitConnectDuringLink ?? details.skipGitConnectDuringLink
  return {
    ...(allowed === undefined ? {} : { optionsAllowlist: allowed && readAllowlist(allowed) }),
    ...(password === undefined
      ? {}
      : { passwordProtection: password && readPassword(password, details.passwordProtection, on) }),
    ...(sso === undefined ? {} : { ssoProtection: sso && readSso(sso, on.plan) }),
    ...(ips === undefined ? {} : { trustedIps: ips && readTrustedIps(ips, on.plan) }),
    ...(autoAssignCustomDomains === undefined
      ? {}
      : { autoAssignCustomDomainsUpdatedBy: autoAssignCustomDomainsUpdatedBy ?? on.userId }),
    ...(autoAssignCustomDomains === undefined || details.lastRollbackTarget === null
      ? {}
      : { autoAssignCustomDomainsAfterwards: autoAssignCustomDomains }),
    ...(gitRepository === undefined || skipsLink ? {} : { link: readGitLink(gitRepository, on.now) }),
  }
}
