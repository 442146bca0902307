import { accounts } from './0001-accounts.ts'
import { jobs } from './0002-jobs.ts'
import { secrets } from './0003-secrets.ts'
import { deployments } from './0004-deployments.ts'
import { builds } from './0005-builds.ts'
import { projects } from './0006-projects.ts'
import { domains } from './0007-domains.ts'
import { zones } from './0008-zones.ts'
import { certificates } from './0009-certificates.ts'
import { integrations } from './0013-integrations.ts'
import { configurations } from './0014-configurations.ts'
import { drains } from './0015-drains.ts'
import { domainRounds } from './0016-domain-rounds.ts'
import { operatorLists } from './0017-operator-lists.ts'
import { previews } from './0019-previews.ts'
import { crashLoops } from './0020-crash-loops.ts'
import { unsettled } from './0021-unsettled.ts'
import { damagedContents } from './0024-damaged-contents.ts'
import { usage } from './0025-usage.ts'
import { crons } from './0026-crons.ts'
import { contents } from './0027-contents.ts'
import { git } from './0029-git.ts'
import { gitSources } from './0030-git-sources.ts'
import { invitations } from './0034-invitations.ts'
import { machines } from './0035-machines.ts'
import { gitDeliveries } from './0036-git-deliveries.ts'
import { gitHosts } from './0037-git-hosts.ts'
import { sshKeys } from './0038-ssh-keys.ts'
import { gitConnected } from './0039-git-connected.ts'
import { gitApps } from './0040-git-apps.ts'
import { removedMachines } from './0041-removed-machines.ts'
import { sharedThings } from './0042-shared-things.ts'
import { gitSizes } from './0043-git-sizes.ts'
import { deploymentHosts } from './0044-deployment-hosts.ts'
import { wastefulPacks } from './0045-wasteful-packs.ts'
import { held } from './0046-held.ts'
import type { Migration } from './migration.ts'

/** In the order they are applied. */
export const MIGRATIONS: readonly Migration[] = [
  accounts,
  jobs,
  secrets,
  deployments,
  builds,
  projects,
  domains,
  zones,
  certificates,
  integrations,
  configurations,
  drains,
  domainRounds,
  operatorLists,
  previews,
  crashLoops,
  unsettled,
  damagedContents,
  usage,
  crons,
  contents,
  git,
  gitSources,
  invitations,
  machines,
  gitDeliveries,
  gitHosts,
  sshKeys,
  gitConnected,
  gitApps,
  removedMachines,
  sharedThings,
  gitSizes,
  deploymentHosts,
  wastefulPacks,
  held,
]
