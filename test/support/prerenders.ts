import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFsPrerenderCache } from '#adapters/prerender-fs/fs-prerender-cache.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { PrerenderCache } from '#core/ports/prerender-cache.ts'
import { silentLog } from './silent-log.ts'

interface TestPrerenders {
  readonly prerenders: PrerenderCache
  /** As another process of the machine has it. */
  open(): PrerenderCache
  /** What was put so far is on the disk. Visitors do not wait for that, and what is in memory is read again after a while. */
  written(): Promise<void>
  remove(): Promise<void>
}

/** Answers on disk, in a folder of their own. */
export async function createTestPrerenders(clock: Clock): Promise<TestPrerenders> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-prerenders-'))
  const open = () => createFsPrerenderCache({ folder, budgetBytes: 50_000_000, clock, log: silentLog })
  const cache = open()
  const writing = new Set<Promise<void>>()
  async function written(): Promise<void> {
    while (writing.size > 0) await Promise.allSettled(writing)
  }
  return {
    prerenders: {
      ...cache,
      put(key, entry) {
        const put = cache.put(key, entry)
        writing.add(put)
        put.then(
          () => writing.delete(put),
          () => writing.delete(put),
        )
        return put
      },
    },
    open,
    written,
    async remove() {
      await written()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
