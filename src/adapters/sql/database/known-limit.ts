import { sql } from 'kysely'

/**
 * A limit that stands in the text of a statement, for rows that are then looked up in a table. PostgreSQL plans once, whatever
 * the parameters; it would expect a tenth of all rows and read the whole table. Only for a few different numbers: each
 * makes a statement of its own.
 */
export const knownLimit = (limit: number) => sql.lit(Math.trunc(limit))
