import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { FileStore } from './file-store.ts'

const BATCH = 1000
/** How long a file that nothing refers to is kept. */
const KEPT = DAY

interface CollectParts {
  readonly files: FileStore
  readonly deployments: Pick<DeploymentStore, 'referenced'>
  readonly blobs: BlobStore
  readonly clock: Clock
}

/**
 * Gives back the space of files that nobody needs: in no deployment, and not uploaded or deployed for a
 * day. A file that is in a deployment is refreshed, so that it is looked at again only after another day.
 */
export function createCollectJob({ files, deployments, blobs, clock }: CollectParts): JobHandler {
  async function forgetStale(before: number): Promise<number> {
    const stale = await files.stale(before, BATCH)
    for (const [ownerId, entries] of Map.groupBy(stale, (file) => file.ownerId)) {
      const sha1s = entries.map(({ sha1 }) => sha1)
      const kept = await deployments.referenced(ownerId, sha1s)
      await files.keep(ownerId, [...kept], clock.now())
      const unneeded = await files.forget(
        ownerId,
        sha1s.filter((sha1) => !kept.has(sha1)),
        before,
      )
      await blobs.delete(unneeded, { notPutSince: before })
    }
    return stale.length
  }

  /** Contents that were stored for a request which then failed: no account ever had them. */
  async function sweepOrphans(before: number, signal: AbortSignal): Promise<void> {
    let batch: string[] = []
    const sweep = async () => {
      const known = await files.known(batch)
      await blobs.delete(
        batch.filter((sha256) => !known.has(sha256)),
        { notPutSince: before },
      )
      batch = []
    }
    for await (const { sha256, putAt } of blobs.list()) {
      if (signal.aborted) return
      if (putAt < before) batch.push(sha256)
      if (batch.length === BATCH) await sweep()
    }
    // Also with nothing left to sweep: deleting is when a store gives space back.
    await sweep()
  }

  return {
    kind: 'files.collect',
    summary: 'Delete uploads that no deployment has used for 24 hours',
    timeLimit: 30 * MINUTE,
    maxAttempts: 3,
    every: HOUR,
    async run(_payload, { signal }) {
      const before = clock.now() - KEPT
      while (!signal.aborted && (await forgetStale(before)) === BATCH) {
        // A full batch: there may be more.
      }
      await sweepOrphans(before, signal)
    },
  }
}
