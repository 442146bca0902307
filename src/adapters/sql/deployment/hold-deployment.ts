import { locksRows } from '../database/dialect/capabilities.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'

const selectHeld = prepare<{ id: string }>()((db, { id }) =>
  db
    .selectFrom('deployments')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$if(locksRows(db), (query) => query.forShare()),
)

/**
 * Whether a deployment is there, and stays until the transaction ends. What is written of one that was deleted meanwhile
 * would stay for good: its deletion takes away only what it finds.
 */
export async function holdDeployment(tx: Db, id: string): Promise<boolean> {
  const [row] = await selectHeld(tx, { id })
  return row !== undefined
}
