import type { QueryExecutorProvider } from 'kysely'
import { isPostgres } from './is-postgres.ts'

/**
 * What the two databases do differently, by name. A store asks for what it needs, and not which database it has:
 * a third one would have to answer these, and no more.
 */
type Capability = (db: QueryExecutorProvider) => boolean

/** Many transactions write at the same time, and lock row by row. Otherwise one that writes is alone. */
export const locksRows: Capability = isPostgres

/** Any number of rows travel as one JSON text; where the database is in this process, row by row is faster. */
export const takesRowsAsJson: Capability = isPostgres

/** An upsert tells which of its rows are new. */
export const tellsNewRows: Capability = isPostgres

/** A subquery may be asked anew for each row beside it. */
export const hasLateralJoins: Capability = isPostgres

/** A table may inherit from another, whose name then means both. */
export const inheritsTables: Capability = isPostgres

/** Machines with the version before read it too, while they are upgraded one after the other. */
export const isReadByOlder: Capability = isPostgres

/** Without statistics it has to be told which index to use, and can be. */
export const takesIndexHints: Capability = (db) => !isPostgres(db)

/** It is a file of ours, whose pages are counted and given back by hand. */
export const isFile: Capability = (db) => !isPostgres(db)
