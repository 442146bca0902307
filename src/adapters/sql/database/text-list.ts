import { type QueryExecutorProvider, sql } from 'kysely'
import { isPostgres } from './dialect/is-postgres.ts'

/** The texts of a JSON array as rows: one parameter and one statement, however many there are. */
export const textsIn = (db: QueryExecutorProvider, json: string) =>
  isPostgres(db)
    ? sql<string>`(select value from json_array_elements_text(${json}::json))`
    : sql<string>`(select value from json_each(${json}))`

/**
 * A condition: a row is the account's, and the column has one of the texts of a JSON array. Each is looked up by both. Where most
 * accounts have few rows, PostgreSQL would otherwise read all of an account and compare them, also of one that has a million.
 */
export const areOf = (db: QueryExecutorProvider, ownerId: string, column: string, json: string) =>
  isPostgres(db)
    ? sql<boolean>`(owner_id, ${sql.ref(column)}) in (
        select ${ownerId}::text, value from json_array_elements_text(${json}::json) offset 0
      )`
    : sql<boolean>`owner_id = ${ownerId} and ${sql.ref(column)} in ${textsIn(db, json)}`

/** Whole numbers of a JSON array as rows, which may be too long for JavaScript's and are texts in the array. */
export const integersIn = (db: QueryExecutorProvider, json: string) =>
  isPostgres(db)
    ? sql<string>`(select value::bigint from json_array_elements_text(${json}::json))`
    : sql<string>`(select cast(value as integer) from json_each(${json}))`
