import type { Site, SiteSource, SiteStatus } from '#core/site/site.ts'
import type { Details } from './deployment-row.ts'
import { toSiteFiles } from './manifest-row.ts'
import { toServed } from './output-store.ts'
import { prepare } from './prepare.ts'
import { toDetails } from './project-row.ts'
import type { Db } from './tables.ts'

/** One statement, so that a site is never put together from two moments. */
const selectSite = prepare<{ host: string }>()((db, { host }) =>
  db
    .selectFrom('hosts')
    .innerJoin('deployments', 'deployments.id', 'hosts.deployment_id')
    .leftJoin('projects', 'projects.id', 'deployments.project_id')
    .leftJoin('users', 'users.id', 'deployments.owner_id')
    .leftJoin('teams', 'teams.id', 'deployments.owner_id')
    .leftJoin('manifests', 'manifests.deployment_id', 'deployments.id')
    .leftJoin('outputs', 'outputs.deployment_id', 'deployments.id')
    .select([
      'hosts.alias_id',
      'hosts.production',
      'deployments.id',
      'deployments.project_id',
      'deployments.owner_id',
      'deployments.state',
      'deployments.target',
      'deployments.deleted_at',
      'deployments.details',
      'projects.directory_listing',
      'projects.details as project_details',
      'users.soft_blocked as user_blocked',
      'teams.soft_blocked as team_blocked',
      'manifests.files',
      'outputs.files as output_files',
      'outputs.rest as output_rest',
    ])
    .where('hosts.host', '=', host),
)

type Row = Awaited<ReturnType<typeof selectSite>>[number]

function statusOf(row: Row): SiteStatus {
  if (row.deleted_at !== null) return 'deleted'
  if (row.user_blocked === 1 || row.team_blocked === 1) return 'blocked'
  if (environmentOf(row) === 'production' && toDetails(row.project_details).paused) return 'paused'
  if (row.state === 'ERROR') return 'failed'
  return row.state === 'READY' ? 'ready' : 'building'
}

/** An alias says itself what it shows; the host of a deployment shows what that was made for. */
const environmentOf = ({ alias_id, production, target }: Row): Site['environment'] =>
  (alias_id === null ? target === 'production' : production === 1) ? 'production' : 'preview'

/** What was built, or else what was uploaded. */
function contentOf(row: Row, status: SiteStatus, routes: Site['routes']) {
  const asGiven = { functions: new Map(), routes, routesFrom: 'request' } as const
  if (status !== 'ready') return { ...asGiven, files: new Map() }
  const { files, output_files, output_rest } = row
  if (output_files !== null && output_rest !== null)
    return { ...toServed({ files: output_files, rest: output_rest }), routesFrom: 'output' as const }
  return { ...asGiven, files: files === null ? new Map() : toSiteFiles(files) }
}

function toSite(host: string, row: Row): Site {
  const status = statusOf(row)
  const { routes, sessionAffinity }: Partial<Details> = JSON.parse(row.details)
  return {
    host,
    deploymentId: row.id,
    projectId: row.project_id,
    ownerId: row.owner_id,
    environment: environmentOf(row),
    status,
    ...contentOf(row, status, routes ?? undefined),
    directoryListing: row.directory_listing === 1,
    sessionAffinity: sessionAffinity ?? 'random',
  }
}

export function createSiteSource(db: Db): SiteSource {
  return {
    async find(host) {
      const [row] = await selectSite(db, { host })
      return row && toSite(host, row)
    },
  }
}
