import { statfs } from 'node:fs/promises'
import type { Log } from '#core/ports/log.ts'

/** Watches a disk that others fill. */
export interface DiskGuard {
  /** Calls `act` again and again while too little is free. What it returns ends that. */
  whenLow(act: () => void): () => void
  close(): void
}

const LOOK_MS = 2000

/** `folder` may be one that this process cannot see; then nothing is ever too little. */
export function guardDisk(folder: string, freeBytes: number, log: Log): DiskGuard {
  const acts = new Set<() => void>()
  let blind = false
  const look = async (): Promise<void> => {
    if (acts.size === 0 || blind) return
    try {
      const { bavail, bsize } = await statfs(folder)
      if (bavail * bsize < freeBytes) for (const act of [...acts]) act()
    } catch (err) {
      blind = true
      log.warn({ err, folder }, 'how much disk the Docker Engine has left cannot be seen')
    }
  }
  const timer = setInterval(() => void look(), LOOK_MS).unref()
  return {
    whenLow(act) {
      acts.add(act)
      return () => acts.delete(act)
    },
    close: () => clearInterval(timer),
  }
}
