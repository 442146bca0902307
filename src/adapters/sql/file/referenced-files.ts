import { prepare } from '../database/prepare.ts'
import { liveDeployments } from '../deployment/deployment-row.ts'
import { sha1sOf } from '../deployment/manifest-row.ts'
import type { Db } from '../tables.ts'

/** Manifests that are in memory at a time: one can have a hundred thousand files. */
const STEP = 8

const selectHashes = prepare<{ ownerId: string; time: number; id: string; limit: number }>()(
  (db, { ownerId, time, id, limit }) =>
    liveDeployments(db, 'deployments_owner')
      .innerJoin('manifests', 'manifests.deployment_id', 'deployments.id')
      .leftJoin('outputs', 'outputs.deployment_id', 'deployments.id')
      .leftJoin('previews', 'previews.deployment_id', 'deployments.id')
      .select([
        'deployments.id',
        'deployments.created_at',
        'manifests.sha1s',
        'outputs.sha1s as output_sha1s',
        'previews.sha1 as preview_sha1',
      ])
      .where('deployments.owner_id', '=', ownerId)
      .where((eb) => eb(eb.refTuple('deployments.created_at', 'deployments.id'), '<', eb.tuple(time, id)))
      .orderBy('deployments.created_at', 'desc')
      .orderBy('deployments.id', 'desc')
      .limit(limit),
)

/** Reads an account's manifests, newest first, until every hash was found or there are no more of them. */
export async function referencedFiles(
  db: Db,
  ownerId: string,
  sha1s: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const sought = new Set(sha1s)
  let from = { time: Number.MAX_SAFE_INTEGER, id: '' }
  while (sought.size > 0) {
    const rows = await selectHashes(db, { ownerId, ...from, limit: STEP })
    for (const { sha1s: uploaded, output_sha1s, preview_sha1 } of rows)
      for (const sha1 of [...sha1sOf(uploaded), ...sha1sOf(output_sha1s ?? ''), preview_sha1 ?? ''])
        if (sought.delete(sha1)) found.add(sha1)
    const last = rows.at(-1)
    if (!last || rows.length < STEP) break
    from = { time: last.created_at, id: last.id }
    await new Promise(setImmediate)
  }
  return found
}
