import type { DeleteResult, UpdateResult } from 'kysely'

/** Carries out a statement that changes or deletes rows, and answers whether there was exactly one. */
export async function changedOne(statement: {
  executeTakeFirstOrThrow(): Promise<DeleteResult | UpdateResult>
}): Promise<boolean> {
  const result = await statement.executeTakeFirstOrThrow()
  return ('numDeletedRows' in result ? result.numDeletedRows : result.numUpdatedRows) === 1n
}
