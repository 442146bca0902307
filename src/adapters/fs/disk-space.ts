import { statfsSync } from 'node:fs'
import type { DiskSpace } from '#core/ports/disk-space.ts'

/** How long a look is good for: it is asked for often. */
const LOOK_MS = 500

const MIB = 2 ** 20

/** What each use leaves free: so many bytes; of a small disk this share, but more than the reserve for deletions. */
const FLOORS = {
  logs: { bytes: 1024 * MIB, share: 0.05, least: 48 * MIB },
  content: { bytes: 256 * MIB, share: 0.02, least: 32 * MIB },
} as const

/** The disk under a folder that exists. */
export function createDiskSpace(folder: string): DiskSpace {
  let look = { at: Number.NEGATIVE_INFINITY, free: 0, total: 0 }
  const now = () => {
    const at = performance.now()
    if (at - look.at > LOOK_MS) {
      const { bavail, blocks, bsize } = statfsSync(folder)
      look = { at, free: bavail * bsize, total: blocks * bsize }
    }
    return look
  }
  return {
    free: () => now().free,
    hasRoomFor(use) {
      const { free, total } = now()
      const { bytes, share, least } = FLOORS[use]
      return free >= Math.max(least, Math.min(bytes, total * share))
    },
  }
}
