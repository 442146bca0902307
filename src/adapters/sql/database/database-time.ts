import { sql } from 'kysely'
import type { Db } from '../tables.ts'
import { isPostgres } from './dialect/is-postgres.ts'

/** The clocks of machines differ; that of the database is one. In milliseconds. */
export const databaseTime = (db: Db) =>
  isPostgres(db)
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
