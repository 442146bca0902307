import type { Kysely } from 'kysely'

/** One step of the schema. A step that was ever released is never changed, only followed by another. */
export interface Migration {
  readonly name: string
  up(db: Kysely<unknown>): Promise<void>
}

/**
 * Steps only add, so that the version before goes on with its work, or comes back to it. One that it cannot live with says so
 * in its name, which is all that the version before knows of it.
 */
export const isBreaking = (name: string): boolean => name.endsWith('-breaking')
