import { teamIdOf } from '#contract/ids.ts'
import type { ShownBypass } from '#core/project/bypass-secrets.ts'
import type { Project } from '#core/project/project.ts'
import type { ProjectDetails } from '#core/project/project-details.ts'
import type { ShownDeployment, ShownDeployments } from '#core/project/shown-deployments.ts'
import { shownPlan, shownState } from '../answer/shown-words.ts'
import { live } from '../deployment/live.ts'
import { linkOf } from './link.ts'

const deployment = ({ deployment: d, aliases, creator }: ShownDeployment) => ({
  id: d.id,
  alias: [...aliases],
  aliasAssigned: d.aliasAssigned,
  aliasError: d.aliasError,
  createdAt: d.createdAt,
  createdIn: d.createdIn,
  creator: creator && { uid: d.creatorId, ...creator },
  deploymentHostname: (d.host ?? '').replace(/\..*$/, ''),
  name: d.name,
  meta: d.meta,
  plan: shownPlan(d.plan),
  private: !d.public,
  ...(d.readyAt === null ? {} : { readyAt: d.readyAt }),
  ...live(d),
  readyState: shownState(d.state),
  ...(d.failure ? { errorCode: d.failure.code } : {}),
  ...(d.target === null ? {} : { target: d.target }),
  teamId: teamIdOf(d.ownerId),
  type: 'LAMBDAS' as const,
  url: d.host,
  userId: d.creatorId,
})

const transfer = ({ transfer: t }: ProjectDetails) =>
  t === null
    ? {}
    : {
        transferStartedAt: t.startedAt,
        ...(t.completedAt === null ? {} : { transferCompletedAt: t.completedAt }),
        ...(t.toAccountId === null ? {} : { transferToAccountId: t.toAccountId }),
        ...(t.fromAccountId === null ? {} : { transferredFromAccountId: t.fromAccountId }),
      }

/** Present only where somebody has set them. */
const ifSet = (d: ProjectDetails) => ({
  ...(d.autoAssignCustomDomainsUpdatedBy === null
    ? {}
    : { autoAssignCustomDomainsUpdatedBy: d.autoAssignCustomDomainsUpdatedBy }),
  emailOnFailedBuild: d.emailOnFailedBuild,
  ...(d.skewProtectionBoundaryAt === null ? {} : { skewProtectionBoundaryAt: d.skewProtectionBoundaryAt }),
  ...(d.skewProtectionMaxAge === null ? {} : { skewProtectionMaxAge: d.skewProtectionMaxAge }),
  ...transfer(d),
})

export const project = (
  { build, details, ...p }: Project,
  { latest, production, staging }: ShownDeployments,
  bypass: ShownBypass,
  site: string,
) => ({
  accountId: p.ownerId,
  autoAssignCustomDomains: details.autoAssignCustomDomains,
  autoExposeSystemEnvs: details.autoExposeSystemEnvs,
  buildCommand: build.buildCommand,
  commandForIgnoringBuildStep: build.commandForIgnoringBuildStep,
  createdAt: p.createdAt,
  customerSupportCodeVisibility: details.customerSupportCodeVisibility,
  dataCache: { userDisabled: details.dataCacheDisabled, storageSizeBytes: 0, unlimited: true },
  devCommand: build.devCommand,
  directoryListing: p.directoryListing,
  enablePreviewFeedback: details.enablePreviewFeedback,
  framework: build.framework,
  gitForkProtection: details.gitForkProtection,
  gitLFS: details.gitLFS,
  id: p.id,
  installCommand: build.installCommand,
  lastAliasRequest: details.lastAliasRequest,
  lastRollbackTarget: details.lastRollbackTarget,
  latestDeployments: latest.map(deployment),
  live: production !== undefined,
  name: p.name,
  nodeVersion: build.nodeVersion,
  optionsAllowlist: details.optionsAllowlist,
  outputDirectory: build.outputDirectory,
  passwordProtection: details.passwordProtection && {
    deploymentType: details.passwordProtection.deploymentType,
  },
  paused: details.paused,
  publicSource: details.publicSource,
  rootDirectory: build.rootDirectory,
  serverlessFunctionRegion: details.serverlessFunctionRegion,
  serverlessFunctionZeroConfigFailover: details.serverlessFunctionZeroConfigFailover,
  skipGitConnectDuringLink: details.skipGitConnectDuringLink,
  sourceFilesOutsideRootDirectory: build.sourceFilesOutsideRootDirectory,
  ssoProtection: details.ssoProtection,
  targets: {
    ...(production === undefined ? {} : { production: deployment(production) }),
    ...(staging === undefined ? {} : { staging: deployment(staging) }),
  },
  trustedIps: details.trustedIps,
  updatedAt: p.updatedAt,
  ...(Object.keys(bypass).length === 0 ? {} : { protectionBypass: bypass }),
  ...ifSet(details),
  ...linkOf({ id: p.id, details }, site),
})
