import { sql } from 'kysely'
import type { Db } from '../tables.ts'
import { isPostgres } from './dialect/is-postgres.ts'

/** The texts of a JSON array as rows: one parameter and one statement, however many there are. */
export const textsIn = (db: Db, json: string) =>
  isPostgres(db)
    ? sql<string>`(select value from json_array_elements_text(${json}::json))`
    : sql<string>`(select value from json_each(${json}))`
