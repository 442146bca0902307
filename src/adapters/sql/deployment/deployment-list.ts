import { sql } from 'kysely'
import type { DeploymentFilter } from '#core/deployment/deployment-store.ts'
import { eachOf } from '../database/each-of.ts'
import type { PageRange } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { textsIn } from '../database/text-list.ts'
import type { Db } from '../tables.ts'
import { pairsOf, rarest } from './deployment-meta.ts'
import { DEPLOYMENT, type DeploymentRow, liveDeployments } from './deployment-row.ts'

const COLUMNS = ['name', 'project_id', 'creator_id', 'target', 'state'] as const
type Column = (typeof COLUMNS)[number]

/** What rows should have: any of these values. */
type ColumnValues = ReadonlyMap<Column, readonly string[]>

interface Index {
  readonly name: string
  /** Those that it has before the age of its rows. */
  readonly columns: readonly Column[]
}

const BY_OWNER: Index = { name: 'deployments_owner', columns: [] }

/**
 * The narrowest first. One of them leads to the rows, in their order; all other conditions sift what it finds,
 * and are said so that no planner takes them for a better way in.
 */
const INDEXES: readonly Index[] = [
  { name: 'deployments_project_state', columns: ['project_id', 'state'] },
  { name: 'deployments_project_target', columns: ['project_id', 'target'] },
  { name: 'deployments_project', columns: ['project_id'] },
  { name: 'deployments_name', columns: ['name'] },
  { name: 'deployments_creator', columns: ['creator_id'] },
  { name: 'deployments_target', columns: ['target'] },
  { name: 'deployments_state', columns: ['state'] },
]

/** Stands for the target of a preview, which has none. */
const PREVIEW = ''

interface Shape {
  readonly by: Index | 'meta'
  readonly previews: boolean
  readonly sift: readonly Column[]
  /** Whether there are more pairs of `meta` than the one that leads to the rows. */
  readonly siftMeta: boolean
}

/** A column's own name stands for the value it is looked up by, `sift_…` for a list of them. */
type Parameters = Readonly<Record<string, string | number>> & PageRange & { readonly ownerId: string }

const value = (parameters: Parameters, name: string): string => parameters[name] as string

const byIndex = (db: Db, parameters: Parameters, { name, columns }: Index, previews: boolean) => {
  const { ownerId, before, after } = parameters
  const rows = liveDeployments(db, name)
    .where('deployments.owner_id', '=', ownerId)
    .where('deployments.created_at', '<', before)
    .where('deployments.created_at', '>', after)
    .orderBy('deployments.created_at', 'desc')
    .orderBy('deployments.id', 'desc')
  return columns.reduce(
    (query, column) =>
      previews && column === 'target'
        ? query.where('deployments.target', 'is', null)
        : query.where(sql.ref(`deployments.${column}`), '=', value(parameters, column)),
    rows,
  )
}

const byMeta = (db: Db, parameters: Parameters, siftMeta: boolean) => {
  const { ownerId, before, after } = parameters
  const rows = liveDeployments(db)
    .innerJoin('deployment_meta', 'deployment_meta.deployment_id', 'deployments.id')
    .where('deployment_meta.owner_id', '=', ownerId)
    .where('deployment_meta.pair', '=', value(parameters, 'pair'))
    .where('deployment_meta.created_at', '<', before)
    .where('deployment_meta.created_at', '>', after)
    .orderBy('deployment_meta.created_at', 'desc')
    .orderBy('deployment_meta.deployment_id', 'desc')
  if (!siftMeta) return rows
  return rows.where((eb) =>
    eb(
      eb
        .selectFrom('deployment_meta as other')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('other.deployment_id', '=', 'deployments.id')
        .where('other.pair', 'in', textsIn(db, value(parameters, 'pairs'))),
      '=',
      parameters.pairCount as number,
    ),
  )
}

const prepareShape = ({ by, previews, sift, siftMeta }: Shape) =>
  prepare<Parameters>()((db, parameters) => {
    const found = by === 'meta' ? byMeta(db, parameters, siftMeta) : byIndex(db, parameters, by, previews)
    return sift
      .reduce(
        (query, column) =>
          query.where(
            sql<string>`coalesce(${sql.ref(`deployments.${column}`)}, '')`,
            'in',
            textsIn(db, value(parameters, `sift_${column}`)),
          ),
        found,
      )
      .select(DEPLOYMENT)
      .limit(parameters.limit)
  })

/** There are few shapes, and each is compiled once. */
const prepared = new Map<string, ReturnType<typeof prepareShape>>()

function selectShape(shape: Shape): ReturnType<typeof prepareShape> {
  const key = JSON.stringify(shape)
  const known = prepared.get(key) ?? prepareShape(shape)
  prepared.set(key, known)
  return known
}

function wantedIn({ app, projectId, creators, states, ...filter }: DeploymentFilter): ColumnValues {
  const target = filter.customEnvironmentId ?? (filter.target === 'preview' ? PREVIEW : filter.target)
  const lists = { name: app, project_id: projectId, creator_id: creators, target, state: states }
  const wanted = new Map<Column, readonly string[]>()
  for (const column of COLUMNS) {
    const values = new Set([lists[column] ?? []].flat())
    if (values.size > 0) wanted.set(column, [...values])
  }
  return wanted
}

/** Every way to choose one value for each of these columns. */
const choices = (columns: readonly Column[], wanted: ColumnValues): Readonly<Record<string, string>>[] =>
  columns.reduce<Readonly<Record<string, string>>[]>(
    (chosen, column) =>
      chosen.flatMap((choice) => (wanted.get(column) ?? []).map((text) => ({ ...choice, [column]: text }))),
    [{}],
  )

const newestFirst = (a: DeploymentRow, b: DeploymentRow): number =>
  b.created_at - a.created_at || (a.id < b.id ? 1 : -1)

/** Reads ranges of an account's living deployments, at a cost that depends on what is found and not on what there is. */
export async function createListing(
  db: Db,
  ownerId: string,
  filter: DeploymentFilter,
): Promise<(range: PageRange) => Promise<readonly DeploymentRow[]>> {
  const wanted = wantedIn(filter)
  const pairs = pairsOf(filter.meta ?? {})
  const pair = await rarest(db, ownerId, pairs)
  const by =
    pair === undefined
      ? (INDEXES.find(({ columns }) => columns.every((c) => wanted.has(c))) ?? BY_OWNER)
      : 'meta'
  const sift = COLUMNS.filter(
    (column) => wanted.has(column) && (by === 'meta' || !by.columns.includes(column)),
  )
  const select = selectShape({
    ...{ by, sift, siftMeta: pairs.length > 1 },
    previews: wanted.get('target')?.includes(PREVIEW) ?? false,
  })
  const conditions = {
    ownerId,
    ...Object.fromEntries(sift.map((column) => [`sift_${column}`, JSON.stringify(wanted.get(column))])),
    ...(pair === undefined ? {} : { pair, pairs: JSON.stringify(pairs), pairCount: pairs.length }),
  }
  const starts = by === 'meta' ? [{}] : choices(by.columns, wanted)

  return async (range) => {
    const found = await eachOf(db, starts, (start) => select(db, { ...conditions, ...start, ...range }))
    // Each part is in order and long enough, so the whole has the newest of all.
    return found.length === 1 ? (found[0] ?? []) : found.flat().sort(newestFirst).slice(0, range.limit)
  }
}
