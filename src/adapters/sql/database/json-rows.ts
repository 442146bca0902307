import { sql } from 'kysely'
import type { Db } from '../tables.ts'
import { isPostgres } from './dialect/is-postgres.ts'

type Text = { readonly key: number; readonly value: string }

/** The texts of a JSON array as rows to join with, each with its place in the array. */
export const textsWithKeys = (db: Db, json: string) =>
  (isPostgres(db)
    ? sql<Text>`(
        select ordinality - 1 as key, value from json_array_elements_text(${json}::json) with ordinality
      )`
    : sql<Text>`json_each(${json})`
  ).as('given')

/** The same with the account whose they are: beside the join it would lead PostgreSQL to all that an account has. */
export const textsOf = (db: Db, ownerId: string, json: string) =>
  (isPostgres(db)
    ? sql<Text & { readonly owner_id: string }>`(
        select ordinality - 1 as key, value, ${ownerId}::text as owner_id
        from json_array_elements_text(${json}::json) with ordinality offset 0
      )`
    : sql<Text & { readonly owner_id: string }>`(
        select key, value, ${ownerId} as owner_id from json_each(${json})
      )`
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
