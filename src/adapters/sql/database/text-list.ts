import { type QueryExecutorProvider, sql } from 'kysely'
import { isPostgres } from './dialect/is-postgres.ts'

/** The texts of a JSON array as rows: one parameter and one statement, however many there are. */
export const textsIn = (db: QueryExecutorProvider, json: string) =>
  isPostgres(db)
    ? sql<string>`(select value from json_array_elements_text(${json}::json))`
    : sql<string>`(select value from json_each(${json}))`

/** The same of whole numbers, which may be too long for JavaScript's and are texts in the array. */
export const integersIn = (db: QueryExecutorProvider, json: string) =>
  isPostgres(db)
    ? sql<string>`(select value::bigint from json_array_elements_text(${json}::json))`
    : sql<string>`(select cast(value as integer) from json_each(${json}))`
