import { type CreateTableBuilder, sql } from 'kysely'
import { isPostgres } from '../../database/dialect/is-postgres.ts'
import type { Migration } from '../../migrations/migration.ts'

/** As they were named when this step was made. */
const COUNTERS = [
  'requests',
  'status_2xx',
  'status_3xx',
  'status_4xx',
  'status_5xx',
  'bytes',
  'cold_starts',
  ...Array.from({ length: 40 }, (_, bucket) => `duration_${bucket}`),
]

const withCounters = (table: CreateTableBuilder<string, string>) =>
  COUNTERS.reduce((so, name) => so.addColumn(name, 'bigint', (column) => column.notNull()), table)

/** Counts of visits by minute, hour and day: of everything, and of paths. */
export const traffic: Migration = {
  name: '0021-traffic',
  async up(db) {
    const { schema } = db
    for (const [table, key] of [
      ['traffic', ['project_id', 'deployment_id', 'step', 'at', 'target']],
      ['traffic_paths', ['project_id', 'deployment_id', 'step', 'at', 'target', 'path']],
    ] as const) {
      let created = schema.createTable(table) as CreateTableBuilder<string, string>
      for (const name of key)
        created = created.addColumn(name, name === 'at' ? 'bigint' : 'text', (column) => column.notNull())
      created = withCounters(created).addPrimaryKeyConstraint(`${table}_key`, [...key])
      // Rows are only ever found by this key, so the embedded database keeps them in its order.
      await (isPostgres(db) ? created : created.modifyEnd(sql`without rowid`)).execute()
      await schema.createIndex(`${table}_age`).on(table).columns(['step', 'at']).execute()
    }
  },
}
