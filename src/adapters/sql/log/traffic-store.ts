import { CompiledQuery, sql } from 'kysely'
import type { TrafficTarget } from '#contract/api/analytics.ts'
import { addTally, COUNTERS, type Counter, createTally, type Tally } from '#core/analytics/tally.ts'
import {
  KEPT_PATHS,
  type TrafficRow,
  type TrafficScope,
  type TrafficStore,
  type TrafficTime,
  WHOLE,
} from '#core/analytics/traffic-store.ts'
import { syncsLater, takesRowsAsJson } from '../database/dialect/capabilities.ts'
import { knownLimit } from '../database/known-limit.ts'
import { prepare } from '../database/prepare.ts'
import { inTransaction } from '../database/transaction.ts'
import type { LogDb, LogTables } from './log-tables.ts'

type Table = 'traffic' | 'traffic_paths'

const KEY = ['project_id', 'deployment_id', 'step', 'at', 'target'] as const
const KEYS = { traffic: KEY, traffic_paths: [...KEY, 'path'] } as const

/** Statements that add to what is there. */
const ADD = {
  traffic: addInto('traffic'),
  traffic_paths: addInto('traffic_paths'),
}

function addInto(table: Table) {
  const columns = [...KEYS[table], ...COUNTERS]
  const into = `insert into ${table} (${columns.join(', ')})`
  const added = COUNTERS.map((name) => `${name} = ${table}.${name} + excluded.${name}`)
  const adding = `on conflict (${KEYS[table].join(', ')}) do update set ${added.join(', ')}`
  const types = columns.map((name) => `${name} ${isText(name) ? 'text' : 'bigint'}`)
  return {
    columns,
    row: `${into} values (${columns.map(() => '?').join(', ')}) ${adding}`,
    json: `${into} select * from json_to_recordset($1::json) as given(${types.join(', ')}) ${adding}`,
  }
}

function isText(column: string): boolean {
  return column !== 'at' && (KEYS.traffic_paths as readonly string[]).includes(column)
}

const valuesOf = ({ projectId, deploymentId, step, at, target, path, tally }: TrafficRow) => [
  ...[projectId, deploymentId, step, at, target],
  ...(path === undefined ? [] : [path]),
  ...tally,
]

/** One row for each key: a statement adds to a row only once, and a flush that comes late has an hour in several minutes. */
function merged(rows: readonly TrafficRow[]): readonly TrafficRow[] {
  const byKey = new Map<string, TrafficRow>()
  for (const row of rows) {
    const { projectId, deploymentId, step, at, target, path } = row
    const key = JSON.stringify([projectId, deploymentId, step, at, target, path])
    const before = byKey.get(key)
    byKey.set(key, before ? { ...row, tally: addTally(before.tally.slice(), row.tally) } : row)
  }
  return [...byKey.values()]
}

async function addRows(tx: LogDb, table: Table, rows: readonly TrafficRow[]): Promise<void> {
  const { columns, row, json } = ADD[table]
  if (!takesRowsAsJson(tx)) {
    for (const each of rows) await tx.executeQuery(CompiledQuery.raw(row, valuesOf(each)))
    return
  }
  if (rows.length === 0) return
  const records = merged(rows).map((each) => {
    const values = valuesOf(each)
    return Object.fromEntries(columns.map((name, i) => [name, values[i]]))
  })
  await tx.executeQuery(CompiledQuery.raw(json, [JSON.stringify(records)]))
}

interface OneStep {
  readonly [name: string]: string | number
  readonly projectId: string
  readonly deploymentId: string
  readonly step: string
  readonly at: number
  readonly target: string
}

/** Deletes the paths of a step beyond those with the most requests. */
const trimPaths = prepare<OneStep, LogTables>()((db, { projectId, deploymentId, step, at, target }) => {
  const own = sql<boolean>`project_id = ${projectId} and deployment_id = ${deploymentId} and step = ${step} and at = ${at} and target = ${target}`
  return db
    .deleteFrom('traffic_paths')
    .where(own)
    .where('path', 'in', ({ selectFrom }) =>
      selectFrom('traffic_paths')
        .select('path')
        .where(own)
        .orderBy('requests', 'desc')
        .orderBy('path')
        .limit(1_000_000)
        .offset(KEPT_PATHS),
    )
})

/** One row for each step that has paths among these. */
const stepsOf = (rows: readonly TrafficRow[]): Iterable<TrafficRow> =>
  new Map(
    rows.map((row) => [[row.projectId, row.deploymentId, row.step, row.at, row.target].join(' '), row]),
  ).values()

/** What a key finds by itself. */
const stretchOf = (
  db: LogDb,
  table: Table,
  { projectId, deploymentId }: TrafficScope,
  { step, from, to }: TrafficTime,
  target: TrafficTarget | undefined,
) => {
  const query = db
    .selectFrom(table)
    .where('project_id', '=', projectId)
    .where('deployment_id', '=', deploymentId)
    .where('step', '=', step)
    .where('at', '>=', from)
    .where('at', '<', to)
  return target === undefined ? query : query.where('target', '=', target)
}

const sumOf = (name: Counter) => sql<number>`cast(sum(${sql.ref(name)}) as bigint)`

const toTally = (row: { readonly [C in Counter]: number }): Tally =>
  addTally(
    createTally(),
    COUNTERS.map((name) => row[name] ?? 0),
  )

/** Projects that are read at a time: the embedded database stops the process while it reads. */
const PROJECTS = 20

export function createTrafficStore(db: LogDb): TrafficStore {
  const deleteSome = async (table: Table, where: ReturnType<typeof sql<boolean>>, limit: number) => {
    const key = sql.raw(KEYS[table].join(', '))
    const some = sql`select ${key} from ${sql.table(table)} where ${where} limit ${knownLimit(limit)}`
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where(sql<boolean>`(${key}) in (${some})`)
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  }

  return {
    async add(rows) {
      const paths = rows.filter(({ path }) => path !== undefined)
      await inTransaction(db, async (tx) => {
        if (syncsLater(tx)) await sql`select set_config('synchronous_commit', 'off', true)`.execute(tx)
        await addRows(
          tx,
          'traffic',
          rows.filter(({ path }) => path === undefined),
        )
        await addRows(tx, 'traffic_paths', paths)
        for (const { projectId, deploymentId, step, at, target } of stepsOf(paths))
          await trimPaths(tx, { projectId, deploymentId, step, at, target })
      })
    },

    async read(scope, time, target) {
      const rows = await stretchOf(db, 'traffic', scope, time, target)
        .select(['at', ...COUNTERS])
        .orderBy('at')
        .execute()
      return rows.map((row) => ({ at: row.at, tally: toTally(row) }))
    },

    async topPaths(scope, time, limit, target) {
      const rows = await stretchOf(db, 'traffic_paths', scope, time, target)
        .select(sql.ref<string>('path').as('path'))
        .select(COUNTERS.map((name) => sumOf(name).as(name)))
        .groupBy(sql.ref('path'))
        .orderBy(sumOf('requests'), 'desc')
        .orderBy(sql.ref('path'))
        .limit(limit)
        .execute()
      return rows.map((row) => ({ path: row.path, tally: toTally(row) }))
    },

    async hours(projectIds, from, to) {
      const found: Awaited<ReturnType<TrafficStore['hours']>>[number][] = []
      for (let i = 0; i < projectIds.length; i += PROJECTS) {
        if (i > 0) await new Promise(setImmediate)
        const rows = await db
          .selectFrom('traffic')
          .select(['project_id', 'at', 'requests', 'status_5xx'])
          .where('project_id', 'in', projectIds.slice(i, i + PROJECTS))
          .where('deployment_id', '=', WHOLE)
          .where('step', '=', 'hour')
          .where('at', '>=', from)
          .where('at', '<', to)
          .execute()
        for (const { project_id, at, requests, status_5xx } of rows)
          found.push({ projectId: project_id, at, requests, errors: status_5xx })
      }
      return found
    },

    prune: (of, step, before, limit) =>
      deleteSome(of === 'all' ? 'traffic' : 'traffic_paths', sql`step = ${step} and at < ${before}`, limit),

    async deleteFor(projectId, deploymentId) {
      const ofProject = sql<boolean>`project_id = ${projectId}`
      const meant =
        deploymentId === undefined
          ? ofProject
          : sql<boolean>`${ofProject} and deployment_id = ${deploymentId}`
      for (const table of ['traffic', 'traffic_paths'] as const)
        while ((await deleteSome(table, meant, DELETED)) === DELETED) await new Promise(setImmediate)
    },
  }
}

/** The most rows deleted in one statement. */
const DELETED = 500
