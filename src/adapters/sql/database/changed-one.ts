import type { DeleteResult, InsertResult, UpdateResult } from 'kysely'

/** Carries out a statement that adds, changes or deletes rows, and answers whether there was exactly one. */
export async function changedOne(statement: {
  executeTakeFirstOrThrow(): Promise<DeleteResult | InsertResult | UpdateResult>
}): Promise<boolean> {
  const result = await statement.executeTakeFirstOrThrow()
  if ('numDeletedRows' in result) return result.numDeletedRows === 1n
  return ('numUpdatedRows' in result ? result.numUpdatedRows : result.numInsertedOrUpdatedRows) === 1n
}
