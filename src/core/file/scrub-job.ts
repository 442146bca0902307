import { HOUR, MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { SettingStore } from '../setting/setting-store.ts'

interface ScrubParts {
  readonly blobs: Pick<BlobStore, 'list' | 'verify'>
  readonly settings: Pick<SettingStore, 'get' | 'set'>
  /** Tells the operators, once a run. */
  readonly onDamage: (sha256s: readonly string[]) => Promise<void>
  /** Read in one run, at the most. */
  readonly maxBytes?: number
}

const CURSOR = 'scrub-cursor'
/** Often enough to be current after a restart, seldom enough to cost nothing. */
const NOTED_EVERY = 200

/**
 * Reads stored contents again, some every hour, and begins anew at the end: damage is found while the people who have
 * the files still do.
 */
export const createScrubJob = ({
  blobs,
  settings,
  onDamage,
  maxBytes = 512 * 2 ** 20,
}: ScrubParts): JobHandler => ({
  kind: 'files.scrub',
  summary: 'Verify stored files and note damaged ones',
  timeLimit: 20 * MINUTE,
  maxAttempts: 1,
  every: HOUR,
  async run(_payload, { signal }) {
    const damaged: string[] = []
    let last = (await settings.get(CURSOR)) || undefined
    let bytes = 0
    let seen = 0
    for await (const { sha256, size } of blobs.list(last)) {
      if (signal.aborted) break
      if ((await blobs.verify(sha256)) === 'damaged') damaged.push(sha256)
      last = sha256
      bytes += size
      seen += 1
      if (seen % NOTED_EVERY === 0) await settings.set(CURSOR, sha256)
      if (bytes >= maxBytes) break
      await new Promise(setImmediate)
    }
    // The end was reached: the next run begins at the first.
    await settings.set(CURSOR, bytes >= maxBytes || signal.aborted ? (last ?? '') : '')
    if (damaged.length > 0) await onDamage(damaged)
  },
})
