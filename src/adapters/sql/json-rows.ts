import { sql } from 'kysely'
import { isPostgres } from './dialect/is-postgres.ts'
import type { Db } from './tables.ts'

/** The arrays in a JSON array as rows to select from: one statement, however many there are. */
export const rowsIn = (db: Db, json: string) =>
  (isPostgres(db)
    ? sql<{ value: string }>`json_array_elements(${json}::json)`
    : sql<{ value: string }>`json_each(${json})`
  ).as('given')

/** A place in one of those arrays. */
export const textAt = (index: number) => sql<string>`given.value ->> ${sql.lit(index)}`
export const numberAt = (index: number) => sql<number>`cast(given.value ->> ${sql.lit(index)} as bigint)`
