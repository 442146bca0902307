import type { ProtectedType, ProtectionMode, TrustedType } from '#contract/api/project.ts'
import type { CustomEnvironment } from '../custom-environment/custom-environment.ts'
import type { Release, ReleaseConfig } from '../release/release.ts'
import type { GitLink } from './git-link.ts'

/** Everything about a project that no build asks for. */
export interface ProjectDetails {
  /** Whether any account may read the files of its deployments. Null: as each deployment says. */
  readonly publicSource: boolean | null
  readonly autoAssignCustomDomains: boolean
  /** The same as it was chosen, to be so again after a rollback; null where none has switched it off. */
  readonly autoAssignCustomDomainsAfterwards: boolean | null
  readonly autoAssignCustomDomainsUpdatedBy: string | null
  readonly autoExposeSystemEnvs: boolean
  readonly customerSupportCodeVisibility: boolean
  readonly enablePreviewFeedback: boolean | null
  readonly gitForkProtection: boolean
  readonly gitLFS: boolean
  /** Null: `main`, or what the repository begins with where it has no such branch. */
  readonly productionBranch: string | null
  /** Addresses that deploy a branch without a token. Oldest first. */
  readonly deployHooks: readonly DeployHook[]
  readonly serverlessFunctionRegion: string | null
  readonly serverlessFunctionZeroConfigFailover: boolean
  readonly skipGitConnectDuringLink: boolean
  /** Whether whoever deployed is told by mail that a build failed. */
  readonly emailOnFailedBuild: boolean
  readonly skewProtectionBoundaryAt: number | null
  readonly skewProtectionMaxAge: number | null
  readonly optionsAllowlist: { readonly paths: readonly { readonly value: string }[] } | null
  readonly passwordProtection: PasswordProtection | null
  readonly ssoProtection: { readonly deploymentType: ProtectedType } | null
  readonly trustedIps: TrustedIps | null
  /** Oldest first. */
  readonly protectionBypass: readonly BypassSecret[]
  readonly link: GitLink | null
  /** Oldest first. */
  readonly customEnvironments: readonly CustomEnvironment[]
  readonly dataCacheDisabled: boolean
  /** Production hosts answer that it is paused, and nothing new is put on them. */
  readonly paused: boolean
  /** Since when; what was made ready later waits for its production hosts. */
  readonly pausedAt: number | null
  /** What production hosts were last moved for, by hand. */
  readonly lastAliasRequest: AliasRequest | null
  /** Set from a rollback to the next promotion. */
  readonly lastRollbackTarget: AliasRequest | null
  /** The aliases that the last request moved. */
  readonly movedAliases: readonly MovedAlias[]
  readonly transfer: Transfer | null
  /** How new production deployments reach their visitors. Null: all of them at once. */
  readonly rollingRelease: ReleaseConfig | null
  /** The last one that went to visitors step by step, under way or over. */
  readonly release: Release | null
}

export interface DeployHook {
  readonly id: string
  readonly name: string
  /** The branch that it deploys. */
  readonly ref: string
  /** Who made it: what it deploys is theirs. */
  readonly userId: string
  readonly createdAt: number
}

export interface PasswordProtection {
  readonly deploymentType: ProtectedType
  /** Sealed for this project. */
  readonly password: string
  /** Another one with each password: sessions of the last one end. */
  readonly version: string
}

/** Lets programs pass whatever protects the project's hosts. */
export interface BypassSecret {
  /** Sealed for this project: members may read it again. */
  readonly secret: string
  /** What visitors' secrets are compared with. */
  readonly hash: string
  readonly createdAt: number
  readonly createdBy: string
}

export interface TrustedIps {
  readonly deploymentType: TrustedType
  readonly addresses: readonly { readonly value: string; readonly note?: string }[]
  readonly protectionMode: ProtectionMode
}

export interface AliasRequest {
  /** Null when nothing was in production before. */
  readonly fromDeploymentId: string | null
  readonly toDeploymentId: string
  readonly jobStatus: 'succeeded' | 'failed' | 'skipped' | 'pending' | 'in-progress'
  readonly requestedAt: number
  readonly type: 'promote' | 'rollback'
}

export interface MovedAlias {
  readonly id: string
  readonly alias: string
  readonly status: 'pending' | 'completed' | 'failed'
  /** When the alias was made. */
  readonly createdAt: number
}

/** A project on its way to another account, or one that came from there. */
interface Transfer {
  readonly startedAt: number
  /** Nobody can take it over afterwards. */
  readonly expiresAt: number
  readonly completedAt: number | null
  readonly toAccountId: string | null
  readonly fromAccountId: string | null
}

export const DEFAULT_DETAILS: ProjectDetails = {
  publicSource: null,
  autoAssignCustomDomains: true,
  autoAssignCustomDomainsAfterwards: null,
  autoAssignCustomDomainsUpdatedBy: null,
  autoExposeSystemEnvs: true,
  customerSupportCodeVisibility: false,
  enablePreviewFeedback: null,
  gitForkProtection: true,
  gitLFS: false,
  productionBranch: null,
  deployHooks: [],
  serverlessFunctionRegion: null,
  serverlessFunctionZeroConfigFailover: false,
  skipGitConnectDuringLink: false,
  emailOnFailedBuild: true,
  skewProtectionBoundaryAt: null,
  skewProtectionMaxAge: null,
  optionsAllowlist: null,
  passwordProtection: null,
  ssoProtection: null,
  trustedIps: null,
  protectionBypass: [],
  link: null,
  customEnvironments: [],
  dataCacheDisabled: false,
  paused: false,
  pausedAt: null,
  lastAliasRequest: null,
  lastRollbackTarget: null,
  movedAliases: [],
  transfer: null,
  rollingRelease: null,
  release: null,
}

/** Whether production hosts stay where they are, whatever is deployed: paused, or rolled back by hand. */
export const holdsProduction = ({ paused, lastRollbackTarget }: ProjectDetails): boolean =>
  paused || lastRollbackTarget !== null

type AutoAssign = Pick<ProjectDetails, 'autoAssignCustomDomains' | 'autoAssignCustomDomainsAfterwards'>

/** New deployments take no domains from now on, until another one is promoted. What a pause switches off is not what anybody chose. */
export const withoutAutoAssign = (details: ProjectDetails): AutoAssign => ({
  autoAssignCustomDomains: false,
  autoAssignCustomDomainsAfterwards: holdsProduction(details)
    ? details.autoAssignCustomDomainsAfterwards
    : details.autoAssignCustomDomains,
})

/** As somebody has chosen it before the rollback, or meanwhile. */
export const autoAssignAgain = ({ autoAssignCustomDomainsAfterwards }: ProjectDetails): AutoAssign => ({
  autoAssignCustomDomains: autoAssignCustomDomainsAfterwards ?? true,
  autoAssignCustomDomainsAfterwards: null,
})

/** Whether it is on its way to another account, so that what goes with it stays as it is. */
export const isInTransfer = ({ transfer }: ProjectDetails, now: number): boolean =>
  transfer !== null && transfer.completedAt === null && now < transfer.expiresAt

/** What the password is sealed for: put into another project, it does not open. */
export const passwordPurpose = (projectId: string): string => `project-password ${projectId}`

/** The same for secrets that let programs pass. */
export const bypassPurpose = (projectId: string): string => `project-bypass ${projectId}`
