import type { Deployment } from '#core/deployment/deployment.ts'
import type { ManifestFile } from '#core/deployment/file/manifest.ts'
import { inSteps } from '../database/in-steps.ts'
import { numberAt, rowsIn, textAt } from '../database/json-rows.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'

/** Few enough to take milliseconds. */
const STEP = 500

const insertRows = prepare<{ rows: string }>()((db, { rows }) =>
  db
    .insertInto('awaited_files')
    .columns(['owner_id', 'sha1', 'size', 'deployment_id'])
    .expression((eb) =>
      eb
        .selectFrom(rowsIn(db, rows))
        .select([
          textAt(0).as('owner_id'),
          textAt(1).as('sha1'),
          numberAt(2).as('size'),
          textAt(3).as('deployment_id'),
        ]),
    ),
)
const selectHashes = prepare<{ deploymentId: string }>()((db, { deploymentId }) =>
  db.selectFrom('awaited_files').select('sha1').where('deployment_id', '=', deploymentId).groupBy('sha1'),
)

/** Remembers what a deployment waits for. Whoever adds a file of that size strikes it off. */
export function insertAwaited(
  tx: Db,
  { id, ownerId }: Pick<Deployment, 'id' | 'ownerId'>,
  manifest: readonly ManifestFile[],
): Promise<void> {
  const absent = manifest.filter(({ sha256 }) => sha256 === '')
  const awaited = new Map(absent.map(({ sha1, size }) => [`${sha1} ${size}`, [ownerId, sha1, size, id]]))
  return inSteps([...awaited.values()], STEP, async (rows) => {
    await insertRows(tx, { rows: JSON.stringify(rows) })
  })
}

export async function selectMissing(db: Db, deploymentId: string): Promise<readonly string[]> {
  const rows = await selectHashes(db, { deploymentId })
  return rows.map(({ sha1 }) => sha1)
}
