import { sql } from 'kysely'
import type { Db } from '../tables.ts'
import { isPostgres } from './dialect/is-postgres.ts'

/** The texts of a JSON array as rows to join with, each with its place in the array. */
export const textsWithKeys = (db: Db, json: string) =>
  (isPostgres(db)
    ? sql<{ key: number; value: string }>`(
        select ordinality - 1 as key, value from json_array_elements_text(${json}::json) with ordinality
      )`
    : sql<{ key: number; value: string }>`json_each(${json})`
  ).as('given')

/** The arrays in a JSON array as rows to select from: one statement, however many there are. */
export const rowsIn = (db: Db, json: string) =>
  (isPostgres(db)
    ? sql<{ value: string }>`json_array_elements(${json}::json)`
    : sql<{ value: string }>`json_each(${json})`
  ).as('given')

/** A place in one of those arrays. */
export const textAt = (index: number) => sql<string>`given.value ->> ${sql.lit(index)}`
export const numberAt = (index: number) => sql<number>`cast(given.value ->> ${sql.lit(index)} as bigint)`
