import { CompiledQuery, sql } from 'kysely'
import type { TrafficTarget } from '#contract/api/analytics.ts'
import { addTally, COUNTERS, type Counter, createTally, type Tally } from '#core/analytics/tally.ts'
import {
  KEPT_PATHS,
  type Step,
  type TrafficRow,
  type TrafficScope,
  type TrafficStore,
  type TrafficTime,
  WHOLE,
} from '#core/analytics/traffic-store.ts'
import { inheritsTables, takesRowsAsJson } from '../database/dialect/capabilities.ts'
import { knownLimit } from '../database/known-limit.ts'
import { prepare } from '../database/prepare.ts'
import { inTransaction } from '../database/transaction.ts'
import { rotateTables } from './dated-tables.ts'
import type { LogDb, LogTables } from './log-tables.ts'
import { beginAdding, divisionOf, type NameTable, type TrafficTable as Table } from './traffic-tables.ts'

const TABLES = { all: 'traffic', paths: 'traffic_paths' } as const
const KEY = ['project_id', 'deployment_id', 'step', 'at', 'target'] as const
const KEYS = { traffic: KEY, traffic_paths: [...KEY, 'path'] } as const

/** Statements that add to what is there. */
const ADD = {
  traffic: addTo('traffic'),
  traffic_paths: addTo('traffic_paths'),
}

function addTo(table: Table) {
  const columns = [...KEYS[table], ...COUNTERS]
  const into = (place: string) => `insert into ${place} as there (${columns.join(', ')})`
  const added = COUNTERS.map((name) => `${name} = there.${name} + excluded.${name}`)
  const adding = `on conflict (${KEYS[table].join(', ')}) do update set ${added.join(', ')}`
  const types = columns.map((name) => `${name} ${isText(name) ? 'text' : 'bigint'}`)
  const given = `select * from json_to_recordset($1::json) as given(${types.join(', ')})`
  return {
    columns,
    row: `${into(table)} values (${columns.map(() => '?').join(', ')}) ${adding}`,
    json: (place: string) => `${into(place)} ${given} ${adding}`,
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

async function addRows(
  tx: LogDb,
  table: Table,
  rows: readonly TrafficRow[],
  place: NameTable,
): Promise<void> {
  const { columns, row, json } = ADD[table]
  if (!takesRowsAsJson(tx)) {
    for (const each of rows) await tx.executeQuery(CompiledQuery.raw(row, valuesOf(each)))
    return
  }
  const toRecord = (each: TrafficRow) => {
    const values = valuesOf(each)
    return Object.fromEntries(columns.map((name, i) => [name, values[i]]))
  }
  const byPlace = Map.groupBy(merged(rows), (each) => place(table, each))
  // Everybody adds to them in the same order, so that nobody waits for one who waits for them.
  for (const name of [...byPlace.keys()].sort()) {
    const records = (byPlace.get(name) ?? []).map(toRecord)
    await tx.executeQuery(CompiledQuery.raw(json(name), [JSON.stringify(records)]))
  }
}

interface OneStep {
  readonly [name: string]: string | number
  readonly projectId: string
  readonly deploymentId: string
  readonly step: Step
  readonly at: number
  readonly target: string
}

const trimIn = (db: LogDb, place: string, { projectId, deploymentId, step, at, target }: OneStep) => {
  const own = sql<boolean>`project_id = ${projectId} and deployment_id = ${deploymentId} and step = ${step} and at = ${at} and target = ${target}`
  const table = place as 'traffic_paths'
  return db
    .deleteFrom(table)
    .where(own)
    .where('path', 'in', ({ selectFrom }) =>
      selectFrom(table)
        .select('path')
        .where(own)
        .orderBy('requests', 'desc')
        .orderBy('path')
        .limit(1_000_000)
        .offset(KEPT_PATHS),
    )
}
const trimUndivided = prepare<OneStep, LogTables>()((db, one) => trimIn(db, 'traffic_paths', one))

/** Deletes the paths of a step beyond those with the most requests. */
async function trimPaths(tx: LogDb, one: OneStep, place: string): Promise<void> {
  if (place === 'traffic_paths') await trimUndivided(tx, one)
  else await trimIn(tx, place, one).execute()
}

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
  const deleteSome = async (
    table: Table,
    where: ReturnType<typeof sql<boolean>>,
    limit: number,
    from = sql.table(table),
  ) => {
    const key = sql.raw(KEYS[table].join(', '))
    const some = sql`select ${key} from ${from} where ${where} limit ${knownLimit(limit)}`
    const { numAffectedRows } = await sql`delete from ${from} where (${key}) in (${some})`.execute(db)
    return Number(numAffectedRows)
  }
  /** Without those that have a table for their time: it is dropped. */
  const undivided = (table: Table) => (inheritsTables(db) ? sql`only ${sql.table(table)}` : sql.table(table))

  return {
    async add(rows) {
      const paths = rows.filter(({ path }) => path !== undefined)
      const sums = rows.filter(({ path }) => path === undefined)
      await inTransaction(db, async (tx) => {
        const place = await beginAdding(tx)
        await addRows(tx, 'traffic', sums, place)
        await addRows(tx, 'traffic_paths', paths, place)
        for (const { projectId, deploymentId, step, at, target } of stepsOf(paths)) {
          const one = { projectId, deploymentId, step, at, target }
          await trimPaths(tx, one, place('traffic_paths', one))
        }
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

    rotate: (of, step, now, before) => rotateTables(db, divisionOf(TABLES[of], step), now, before),

    prune(of, step, before, limit) {
      const table = TABLES[of]
      return deleteSome(table, sql`step = ${step} and at < ${before}`, limit, undivided(table))
    },

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
