import { sql } from 'kysely'
import type { Target } from '#contract/api/deployment.ts'
import { liveSince } from '#core/deployment/live.ts'
import type { ProjectDetails } from '#core/project/project-details.ts'
import type { RedirectStatus } from '#core/project-domain/project-domain.ts'
import { isActive, rampOf } from '#core/release/release.ts'
import { type HostFace, protectionOf } from '#core/site/protection.ts'
import type { Site, SiteSource, SiteStatus } from '#core/site/site.ts'
import { prepare } from '../database/prepare.ts'
import { toDetails } from '../project/project-row.ts'
import type { Db } from '../tables.ts'
import type { Details } from './deployment-row.ts'
import { toSiteFiles } from './manifest-row.ts'
import { toServed } from './output-store.ts'

/** What a host points to, and how, without what is served there. */
const pointerOf = (db: Db, host: string) =>
  db
    .selectFrom('hosts')
    .innerJoin('deployments', 'deployments.id', 'hosts.deployment_id')
    .leftJoin('projects', 'projects.id', 'deployments.project_id')
    .leftJoin('project_domains', (join) =>
      join
        .onRef('project_domains.name', '=', 'hosts.host')
        .onRef('project_domains.project_id', '=', 'deployments.project_id')
        .on('project_domains.verified', '=', 1),
    )
    .leftJoin('users', 'users.id', 'deployments.owner_id')
    .leftJoin('teams', 'teams.id', 'deployments.owner_id')
    .select([
      'hosts.alias_id',
      'hosts.production',
      'deployments.id',
      'deployments.project_id',
      'deployments.owner_id',
      'deployments.host as deployment_host',
      'deployments.state',
      'deployments.target',
      'deployments.deleted_at',
      'deployments.details',
      'projects.directory_listing',
      'projects.details as project_details',
      'project_domains.redirect',
      'project_domains.redirect_status',
      'project_domains.git_branch',
      'users.soft_blocked as user_blocked',
      'teams.soft_blocked as team_blocked',
    ])
    .select(({ selectFrom }) =>
      selectFrom('hosts as name')
        .leftJoin('project_domains as domain', (join) =>
          join
            .onRef('domain.name', '=', 'name.host')
            .onRef('domain.project_id', '=', 'name.project_id')
            .on('domain.verified', '=', 1),
        )
        .select('name.host')
        .whereRef('name.deployment_id', '=', 'deployments.id')
        .where('name.alias_id', 'is not', null)
        .where('name.production', '=', 1)
        .where('name.host', 'not like', '*%')
        .where('domain.redirect', 'is', null)
        .where('domain.git_branch', 'is', null)
        // A name of the project's own before those that the platform gives.
        .orderBy(({ fn }) =>
          fn.coalesce('domain.created_at', sql<number>`${sql.lit(Number.MAX_SAFE_INTEGER)}`),
        )
        .orderBy('name.created_at')
        .orderBy('name.host')
        .limit(1)
        .as('production_host'),
    )
    .where('hosts.host', '=', host)

/** One statement, so that a site is never put together from two moments. */
const selectSite = prepare<{ host: string }>()((db, { host }) =>
  pointerOf(db, host)
    .leftJoin('manifests', 'manifests.deployment_id', 'deployments.id')
    .leftJoin('outputs', 'outputs.deployment_id', 'deployments.id')
    .select(['manifests.files', 'outputs.files as output_files', 'outputs.rest as output_rest']),
)

const selectPointer = prepare<{ host: string }>()((db, { host }) => pointerOf(db, host))

/** Of a deployment that is ready, which never changes. */
const selectContent = prepare<{ id: string }>()((db, { id }) =>
  db
    .selectFrom('deployments')
    .leftJoin('manifests', 'manifests.deployment_id', 'deployments.id')
    .leftJoin('outputs', 'outputs.deployment_id', 'deployments.id')
    .select([
      'manifests.files',
      'outputs.files as output_files',
      'outputs.rest as output_rest',
      'deployments.details',
    ])
    .where('deployments.id', '=', id),
)

type Row = Awaited<ReturnType<typeof selectPointer>>[number]
type ContentRow = Pick<
  Awaited<ReturnType<typeof selectSite>>[number],
  'files' | 'output_files' | 'output_rest' | 'details'
>

function statusOf(row: Row, { paused }: ProjectDetails): SiteStatus {
  if (row.deleted_at !== null) return 'deleted'
  if (row.user_blocked === 1 || row.team_blocked === 1) return 'blocked'
  if (paused && faceOf(row) !== 'preview') return 'paused'
  if (row.state === 'ERROR') return 'failed'
  return row.state === 'READY' ? 'ready' : 'building'
}

/** An alias says itself what it shows; the host of a deployment shows what that was made for. */
function faceOf({ alias_id, production, target, git_branch }: Row): HostFace {
  if (alias_id === null) return target === 'production' ? 'production-url' : 'preview'
  return production === 1 && git_branch === null ? 'production-name' : 'preview'
}

/** Who gets to see the site at this host, and who is sent elsewhere. */
function accessOf(row: Row, details: ProjectDetails): Pick<Site, 'redirect' | 'protection'> {
  const { redirect, redirect_status } = row
  const protection = protectionOf(details, faceOf(row))
  return {
    ...(redirect !== null && {
      redirect: { host: redirect, status: (redirect_status ?? 307) as RedirectStatus },
    }),
    ...(protection !== undefined && { protection }),
  }
}

type Content = Pick<Site, 'files' | 'functions' | 'routes' | 'routesFrom' | 'images'>

const routesOf = ({ details }: Pick<Row, 'details'>): Site['routes'] =>
  (JSON.parse(details) as Partial<Details>).routes ?? undefined

/** What a deployment that is not ready shows. */
const nothingOf = (row: Row): Content => ({
  ...{ files: new Map(), functions: new Map() },
  ...{ routes: routesOf(row), routesFrom: 'request' },
})

/** What was built, or else what was uploaded. */
async function contentOf(row: ContentRow): Promise<Content> {
  const { files, output_files, output_rest } = row
  if (output_files !== null && output_rest !== null)
    return { ...(await toServed({ files: output_files, rest: output_rest })), routesFrom: 'output' }
  return {
    files: files === null ? new Map() : await toSiteFiles(files),
    ...{ functions: new Map(), routes: routesOf(row), routesFrom: 'request' },
  }
}

/**
 * What deployments show under names that anybody can make up. It is read once for all names, and is the same in memory for as long
 * as any of them is in use.
 */
class SharedContents {
  readonly #db: Db
  readonly #inUse = new Map<string, WeakRef<Content['files']>>()
  readonly #contents = new WeakMap<Content['files'], Content>()
  readonly #loading = new Map<string, Promise<Content | undefined>>()

  constructor(db: Db) {
    this.#db = db
  }

  /** Undefined where there is no such deployment any more. */
  async find(id: string): Promise<Content | undefined> {
    const files = this.#inUse.get(id)?.deref()
    const known = files && this.#contents.get(files)
    if (known !== undefined) return known
    const loading = this.#loading.get(id) ?? this.#load(id).finally(() => this.#loading.delete(id))
    this.#loading.set(id, loading)
    return loading
  }

  async #load(id: string): Promise<Content | undefined> {
    const [row] = await selectContent(this.#db, { id })
    const content = row && (await contentOf(row))
    if (content === undefined) return undefined
    for (const [other, files] of this.#inUse) if (files.deref() === undefined) this.#inUse.delete(other)
    this.#contents.set(content.files, content)
    this.#inUse.set(id, new WeakRef(content.files))
    return content
  }
}

function skewOf({ skewProtectionMaxAge, skewProtectionBoundaryAt }: ProjectDetails): Pick<Site, 'skew'> {
  if (skewProtectionMaxAge === null || skewProtectionMaxAge <= 0) return {}
  return { skew: { maxAgeMs: skewProtectionMaxAge * 1000, notBefore: skewProtectionBoundaryAt ?? 0 } }
}

/** Only names that show production are shared. */
function canaryOf(row: Row, { release }: ProjectDetails): Pick<Site, 'canary'> {
  if (!isActive(release) || faceOf(row) !== 'production-name' || row.id !== release.currentDeploymentId)
    return {}
  const { canaryDeploymentId: deploymentId, canaryHost: host, config } = release
  return { canary: { deploymentId, host, ramp: rampOf(release), isNamed: config.canaryResponseHeader } }
}

const selectHost = prepare<{ id: string; projectId: string }>()((db, { id, projectId }) =>
  db
    .selectFrom('deployments')
    .innerJoin('projects', 'projects.id', 'deployments.project_id')
    .select([
      'deployments.host',
      'deployments.created_at',
      'deployments.state',
      'deployments.target',
      'deployments.details',
      'projects.details as project_details',
    ])
    .where('deployments.id', '=', id)
    .where('deployments.project_id', '=', projectId)
    .where('deployments.deleted_at', 'is', null),
)

async function toSite(
  host: string,
  row: Row,
  platformDomain: string,
  read: () => Promise<Content | undefined>,
): Promise<Site> {
  const project = toDetails(row.project_details)
  const status = statusOf(row, project)
  const { sessionAffinity, regions, buildingAt }: Partial<Details> = JSON.parse(row.details)
  return {
    host,
    deploymentHost: row.deployment_host ?? host,
    canonicalHost: row.production_host ?? row.deployment_host ?? host,
    platformDomain,
    deploymentId: row.id,
    projectId: row.project_id,
    ownerId: row.owner_id,
    environment: faceOf(row) === 'preview' ? 'preview' : 'production',
    status,
    ...((status === 'ready' ? await read() : undefined) ?? nothingOf(row)),
    ...(buildingAt !== undefined && { builtAt: buildingAt }),
    directoryListing: row.directory_listing === 1,
    sessionAffinity: sessionAffinity ?? 'random',
    ...(regions && { regions }),
    ...skewOf(project),
    ...canaryOf(row, project),
    ...(project.dataCacheDisabled ? { keepsAnswers: false as const } : {}),
    ...accessOf(row, project),
  }
}

/** What may stand for a host that nobody has by its own name. */
function wildcardOf(host: string): string | undefined {
  const parent = host.slice(host.indexOf('.') + 1)
  return parent !== host && parent.includes('.') ? `*.${parent}` : undefined
}

export function createSiteSource(db: Db, { domain }: { readonly domain: string }): SiteSource {
  const shared = new SharedContents(db)
  return {
    async hostOfDeployment(projectId, id) {
      const [row] = await selectHost(db, { id, projectId })
      if (row?.host == null) return undefined
      const { host, created_at: createdAt, state, target } = row
      const details: Details = JSON.parse(row.details)
      const { release } = toDetails(row.project_details)
      const isLive = liveSince({ ...details, state, target: target as Target | null }) !== null
      return { host, createdAt, wasShown: isLive || release?.canaryDeploymentId === id }
    },

    async find(host) {
      const [row] = await selectSite(db, { host })
      if (row) return toSite(host, row, domain, () => contentOf(row))
      const wildcard = wildcardOf(host)
      const [wide] = wildcard === undefined ? [] : await selectPointer(db, { host: wildcard })
      return wide && { ...(await toSite(host, wide, domain, () => shared.find(wide.id))), wildcard }
    },
  }
}
