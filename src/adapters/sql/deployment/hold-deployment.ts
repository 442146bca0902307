import { locksRows } from '../database/dialect/capabilities.ts'
import type { Db } from '../tables.ts'

/**
 * Whether a deployment is there, and stays until the transaction ends. What is written of one that was deleted meanwhile
 * would stay for good: its deletion takes away only what it finds.
 */
export async function holdDeployment(tx: Db, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('deployments')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$if(locksRows(tx), (query) => query.forShare())
    .executeTakeFirst()
  return row !== undefined
}
