import type { Alias } from '../alias/alias.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { productionAlias } from '../deployment/hosts.ts'
import type { Project } from '../project/project.ts'
import { showsProduction } from '../project-domain/domains-for.ts'
import type { ProjectDomain } from '../project-domain/project-domain.ts'
import { platformOf } from './due-names.ts'

interface ProductionSeen {
  readonly project: Pick<Project, 'name'>
  readonly domains: readonly ProjectDomain[]
  /** The names of production, and where they lead. */
  readonly shown: readonly Pick<Alias, 'host' | 'deploymentId'>[]
  /** Any of the project. */
  readonly deployment: Pick<Deployment, 'aliasFinal'>
}

/**
 * What most visitors of production get: that of its domains, or else of the name that the platform gives it. An alias may show
 * another deployment, where somebody has put it. Undefined where there is none of these names.
 */
export function liveDeployment({ project, domains, shown, deployment }: ProductionSeen): string | undefined {
  const sites = domains
    .filter(showsProduction)
    .toSorted((a, b) => Number(a.redirect !== null) - Number(b.redirect !== null))
  const platform = productionAlias(project.name, platformOf(deployment).slice(1))
  const aliases = [...sites.map(({ name }) => name), platform].map((host) =>
    shown.find((alias) => alias.host === host),
  )
  return aliases.find((alias) => alias !== undefined)?.deploymentId
}
