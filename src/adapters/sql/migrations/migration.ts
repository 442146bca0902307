import type { Kysely } from 'kysely'

/** One step of the schema. A step that was ever released is never changed, only followed by another. */
export interface Migration {
  readonly name: string
  up(db: Kysely<unknown>): Promise<void>
}
