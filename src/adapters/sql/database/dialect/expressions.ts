import { type Expression, type QueryExecutorProvider, sql } from 'kysely'
import { isPostgres } from './is-postgres.ts'

/** The greater of two numbers. */
export const greater = (db: QueryExecutorProvider, a: Expression<unknown>, b: Expression<unknown>) =>
  isPostgres(db) ? sql<number>`greatest(${a}, ${b})` : sql<number>`max(${a}, ${b})`
