import { type RawBuilder, sql } from 'kysely'
import type { LogLevel, ProjectLogSource, ProjectLogType } from '#contract/api/project-log.ts'
import type { LogPage, ProjectLogFilter, ProjectLogQuery } from '#core/log/log-store.ts'
import { isPostgres } from './dialect/is-postgres.ts'
import { COLUMNS, DIRECTIONS, PAGE, pageOf, place, WINDOW } from './log-read.ts'
import type { LogDb } from './log-tables.ts'

type Condition = RawBuilder<boolean>

const either = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql`1 = 0` : sql`(${sql.join(conditions, sql` or `)})`

const TYPES = {
  request: sql`type = 'response'`,
  stdout: sql`(type = 'stdout' and stream is null)`,
  stderr: sql`(type = 'stdout' and stream = 'stderr')`,
} as const satisfies Record<ProjectLogType, Condition>

const LEVELS = {
  info: sql`(status < 400 or (status is null and stream is null))`,
  warning: sql`(status >= 400 and status < 500)`,
  error: sql`(status >= 500 or stream = 'stderr')`,
} as const satisfies Record<LogLevel, Condition>

/** What an index finds by itself: the entries of a project, or of a deployment, between two serials. */
const stretchOf = (db: LogDb, projectId: string, { deploymentId, after, before }: ProjectLogFilter) => {
  let query =
    deploymentId === undefined
      ? db.selectFrom('log_entries').where('project_id', '=', projectId)
      : db.selectFrom('log_entries').where('deployment_id', '=', deploymentId)
  if (after !== undefined) query = query.where('serial', '>', after)
  if (before !== undefined) query = query.where('serial', '<', before)
  return query
}

/** A part of what is known of a visit. */
const partOf = (db: LogDb, name: 'method' | 'uri' | 'answeredBy'): RawBuilder<string | null> =>
  isPostgres(db) ? sql`(request::json ->> ${sql.lit(name)})` : sql`(request ->> ${sql.lit(`$.${name}`)})`

function sourceIs(db: LogDb, source: ProjectLogSource): Condition {
  switch (source) {
    case 'function':
      return sql`info_type = 'lambda'`
    case 'server':
      return sql`info_type = 'instance'`
    case 'static':
      return sql`(info_type = 'static' and ${partOf(db, 'answeredBy')} is null)`
    default:
      return sql`${partOf(db, 'answeredBy')} = ${source}`
  }
}

const holds = (db: LogDb, text: RawBuilder<unknown>, part: string, anywhere: boolean): Condition => {
  const find = sql.raw(isPostgres(db) ? 'strpos' : 'instr')
  return sql`${find}(${text}, ${part}) ${sql.raw(anywhere ? '> 0' : '= 1')}`
}

/** What an entry has to be beyond lying in the stretch. */
function conditionsOf(db: LogDb, filter: ProjectLogFilter): Condition[] {
  const { deploymentId, target, types, levels, sources, statuses, method, path, host, requestId, text } =
    filter
  const all: Condition[] = []
  if (deploymentId !== undefined) all.push(sql`info_type <> 'build'`, sql`type in ('response', 'stdout')`)
  if (target !== undefined) all.push(sql`environment = ${target}`)
  if (types !== undefined) all.push(either(types.map((type) => TYPES[type])))
  if (levels !== undefined) all.push(either(levels.map((level) => LEVELS[level])))
  if (sources !== undefined) all.push(either(sources.map((source) => sourceIs(db, source))))
  if (statuses !== undefined)
    all.push(either(statuses.map(({ from, to }) => sql`(status >= ${from} and status <= ${to})`)))
  if (method !== undefined) all.push(sql`${partOf(db, 'method')} = ${method}`)
  if (path !== undefined) all.push(holds(db, partOf(db, 'uri'), path.text, path.anywhere))
  if (host !== undefined) all.push(sql`type = 'response'`, sql`info_name = ${host}`)
  if (requestId !== undefined) all.push(sql`request_id = ${requestId}`)
  if (text !== undefined) all.push(holds(db, sql.ref('text'), text, true))
  return all
}

/** Looks at the next entries of the stretch, as many as a window holds, and answers those that are meant. */
export async function readProjectEntries(
  db: LogDb,
  projectId: string,
  query: ProjectLogQuery,
): Promise<LogPage> {
  const limit = Math.min(query.limit, PAGE)
  const { order, upTo, last } = DIRECTIONS[query.direction]
  const conditions = conditionsOf(db, query)
  const meant = () => {
    const stretch = stretchOf(db, projectId, query).select(COLUMNS).select(place)
    return conditions.reduce((so, condition) => so.where(condition), stretch).orderBy('serial', order)
  }
  if (conditions.length === 0) {
    const rows = await meant().limit(limit).execute()
    return pageOf(rows, rows.at(-1)?.place, rows.length < limit)
  }
  // Nothing comes into a window after it was measured: serials are given out in the order in which entries appear.
  const window = stretchOf(db, projectId, query).select('serial').orderBy('serial', order).limit(WINDOW)
  const { count, end } = await db
    .selectFrom(window.as('looked_at'))
    .select(({ fn }) => [fn.countAll<number>().as('count'), last.as('end')])
    .executeTakeFirstOrThrow()
  const complete = count < WINDOW
  if (end === null) return pageOf([], end, complete)
  const rows = await meant().where('serial', upTo, end).limit(limit).execute()
  return rows.length < limit ? pageOf(rows, end, complete) : pageOf(rows, rows.at(-1)?.place, false)
}
