import { sql } from 'kysely'
import type { Target } from '#contract/api/deployment.ts'
import type { Deployment } from '#core/deployment/deployment.ts'
import { liveDeployment } from '#core/names/live-deployment.ts'
import type { ProjectDeployments, ProjectStore } from '#core/project/project-store.ts'
import { hasLateralJoins } from '../database/dialect/capabilities.ts'
import { fromNewToOld } from '../database/page.ts'
import { textsIn } from '../database/text-list.ts'
import {
  DEPLOYMENT,
  type DeploymentRow,
  liveDeployments,
  toDeployment,
} from '../deployment/deployment-row.ts'
import { productionAliases } from '../deployment/host-store.ts'
import { domainsOf } from '../domain/project-domain-store.ts'
import type { Db } from '../tables.ts'

interface NewestQuery {
  readonly ownerId: string
  /** As JSON. */
  readonly projectIds: string
  readonly limit: number
  /** Only those of this target that are live. */
  readonly target?: Target
}

const COLUMNS = sql.join(DEPLOYMENT.map((column) => sql.ref(column)))

/** The newest deployments of each of these projects: one walk along an index for each, in one statement. */
async function newest(db: Db, { ownerId, projectIds, limit, target }: NewestQuery): Promise<Deployment[]> {
  const isReady = target === undefined ? sql`` : sql` and target = ${target} and state = 'READY'`
  const index = sql.ref(target === undefined ? 'deployments_project' : 'deployments_project_target')
  const { rows } = await (hasLateralJoins(db)
    ? sql<DeploymentRow>`
        select deployments.* from json_array_elements_text(${projectIds}::json) as given (value)
        cross join lateral (
          select ${COLUMNS} from deployments
          where owner_id = ${ownerId} and project_id = given.value and deleted_at is null${isReady}
          order by created_at desc, id desc limit ${limit}
        ) as deployments`.execute(db)
    : sql<DeploymentRow>`
        select ${COLUMNS} from json_each(${projectIds}) as given cross join deployments
        where deployments.id in (
          select found.id from deployments as found indexed by ${index}
          where owner_id = ${ownerId} and project_id = given.value and deleted_at is null${isReady}
          order by created_at desc, id desc limit ${limit}
        )`.execute(db))
  return rows.map(toDeployment).sort(fromNewToOld)
}

/** The deployments that production hosts of these projects lead to. */
async function inProduction(db: Db, ownerId: string, projectIds: string): Promise<Deployment[]> {
  const pointers = await db
    .selectFrom('hosts')
    .select(['project_id', 'deployment_id'])
    .distinct()
    .where('production', '=', sql.lit(1))
    .where('project_id', 'in', textsIn(db, projectIds))
    .execute()
  if (pointers.length === 0) return []
  const rows = await liveDeployments(db)
    .select(DEPLOYMENT)
    .where('id', 'in', textsIn(db, JSON.stringify(pointers.map((row) => row.deployment_id))))
    .where('owner_id', '=', ownerId)
    .execute()
  return rows.map(toDeployment).sort(fromNewToOld)
}

/**
 * Of each project the one that production shows. Its names nearly always lead to one deployment; where somebody has put one of
 * them elsewhere, it is looked at what is whose.
 */
async function shownOf(db: Db, pointed: readonly Deployment[]): Promise<ReadonlyMap<string, Deployment>> {
  const live = new Map<string, Deployment>()
  for (const [id, all] of Map.groupBy(pointed, ({ projectId }) => projectId)) {
    const [newest] = all
    const found = newest && all.length > 1 ? await liveAmong(db, id, newest) : undefined
    const deployment = all.find((one) => one.id === found) ?? newest
    if (deployment) live.set(id, deployment)
  }
  return live
}

async function liveAmong(db: Db, projectId: string, deployment: Deployment): Promise<string | undefined> {
  const project = await db
    .selectFrom('projects')
    .select('name')
    .where('id', '=', projectId)
    .executeTakeFirst()
  if (!project) return undefined
  const [domains, shown] = [await domainsOf(db, projectId), await productionAliases(db, projectId)]
  return liveDeployment({ project, domains, shown, deployment })
}

/** Four statements, however many projects there are whose names of production all lead to one deployment. */
export async function deploymentsOf(
  db: Db,
  ownerId: string,
  ids: readonly string[],
  latest: number,
): Promise<ReadonlyMap<string, ProjectDeployments>> {
  const projectIds = JSON.stringify(ids)
  if (ids.length === 0) return new Map()
  const [all, pointed, made, staged] = [
    await newest(db, { ownerId, projectIds, limit: latest }),
    await inProduction(db, ownerId, projectIds),
    await newest(db, { ownerId, projectIds, limit: 1, target: 'production' }),
    await newest(db, { ownerId, projectIds, limit: 1, target: 'staging' }),
  ]
  const shown = await shownOf(db, pointed)
  return new Map(
    ids.map((id) => {
      const own = (deployment: Deployment) => deployment.projectId === id
      // One whose names were all taken by others has no host but its own.
      const production = shown.get(id) ?? made.find(own)
      const staging = staged.find(own)
      return [
        id,
        {
          latest: all.filter(own),
          ...(production === undefined ? {} : { production }),
          ...(staging === undefined ? {} : { staging }),
        },
      ]
    }),
  )
}

/** Two statements, however many deployments there are. */
export async function namesOf(
  db: Db,
  deployments: Parameters<ProjectStore['namesOf']>[0],
): ReturnType<ProjectStore['namesOf']> {
  if (deployments.length === 0) return { aliases: new Map(), creators: new Map() }
  const listed = (texts: readonly string[]) => textsIn(db, JSON.stringify([...new Set(texts)]))
  const pointers = await db
    .selectFrom('hosts')
    .select(['host', 'deployment_id'])
    .where('deployment_id', 'in', listed(deployments.map(({ id }) => id)))
    .where('alias_id', 'is not', null)
    .execute()
  const users = await db
    .selectFrom('users')
    .select(['id', 'email', 'username'])
    .where('id', 'in', listed(deployments.map(({ creatorId }) => creatorId)))
    .execute()
  const hosts = Map.groupBy(pointers, (row) => row.deployment_id)
  return {
    aliases: new Map([...hosts].map(([id, rows]) => [id, rows.map(({ host }) => host).sort()])),
    creators: new Map(users.map(({ id, email, username }) => [id, { email, username }])),
  }
}
