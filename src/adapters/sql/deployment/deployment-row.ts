import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { Target } from '#contract/api/deployment.ts'
import type { Deployment } from '#core/deployment/deployment.ts'
import { flag } from '../database/columns.ts'
import { takesIndexHints } from '../database/dialect/capabilities.ts'
import type { Db, DeploymentTable, Tables } from '../tables.ts'

export const DEPLOYMENT = [
  'deployments.id',
  'deployments.owner_id',
  'deployments.project_id',
  'deployments.creator_id',
  'deployments.name',
  'deployments.host',
  'deployments.state',
  'deployments.target',
  'deployments.digest',
  'deployments.public',
  'deployments.incomplete',
  'deployments.created_at',
  'deployments.details',
] as const

export type DeploymentRow = Omit<Selectable<DeploymentTable>, 'deleted_at' | 'sealed_env' | 'min_instances'>

/**
 * Deployments that were not deleted. An index may be named where there are several: without statistics
 * SQLite takes the smallest that can be used at all; PostgreSQL knows better, and cannot be told.
 */
export function liveDeployments(db: Db, index?: string) {
  const from =
    index === undefined || !takesIndexHints(db)
      ? db.selectFrom('deployments')
      : (db.selectFrom(
          sql`deployments`.as<'deployments'>(sql`deployments indexed by ${sql.ref(index)}`),
        ) as unknown as SelectQueryBuilder<Tables, 'deployments', object>)
  return from.where('deployments.deleted_at', 'is', null)
}

/** What has a column of its own. */
type Column =
  | 'id'
  | 'ownerId'
  | 'projectId'
  | 'creatorId'
  | 'name'
  | 'host'
  | 'state'
  | 'target'
  | 'digest'
  | 'public'
  | 'incomplete'
  | 'createdAt'

export type Details = Omit<Deployment, Column>

export function fromDeployment(deployment: Deployment): DeploymentRow {
  const { id, ownerId, projectId, creatorId, name, host, state, target, digest, createdAt, ...rest } =
    deployment
  const { public: isPublic, incomplete, ...details } = rest
  return {
    id,
    owner_id: ownerId,
    project_id: projectId,
    creator_id: creatorId,
    name,
    host,
    state,
    // An environment of a project's own is looked up as the other ones are.
    target: deployment.customEnvironment?.id ?? target,
    digest,
    public: flag(isPublic),
    incomplete: flag(incomplete),
    created_at: createdAt,
    details: JSON.stringify(details satisfies Details),
  }
}

export function toDeployment(row: DeploymentRow): Deployment {
  const details = JSON.parse(row.details) as Details
  return {
    ...details,
    id: row.id,
    ownerId: row.owner_id,
    projectId: row.project_id,
    creatorId: row.creator_id,
    name: row.name,
    host: row.host,
    state: row.state,
    target: details.customEnvironment === undefined ? (row.target as Target | null) : null,
    digest: row.digest,
    public: row.public === 1,
    incomplete: row.incomplete === 1,
    createdAt: row.created_at,
  }
}
