import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'

/** Mounts a file system of so many megabytes on a folder; answers why not, where it cannot be had. */
export function mountTinyDisk(path: string, megabytes: number): string | undefined {
  if (process.platform !== 'linux') return 'needs a tmpfs of Linux'
  if (process.getuid?.() !== 0) return 'only root can mount a tiny file system'
  const options = `size=${megabytes}m,mode=700`
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path])
  return status === 0 ? undefined : `cannot mount a tiny file system: ${String(stderr).trim()}`
}

/** Lazily: whatever a failure left open must not keep it mounted. */
export function unmountTinyDisk(path: string): void {
  spawnSync('umount', ['-l', path])
}

/** Writes until nothing more fits. */
export async function fillDisk(path: string): Promise<void> {
  const file = await open(path, 'a')
  try {
    for (const size of [2 ** 20, 4096, 512]) {
      const chunk = randomBytes(size)
      for (;;) {
        const { bytesWritten } = await file.write(chunk).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOSPC') throw error
          return { bytesWritten: 0 }
        })
        if (bytesWritten < chunk.length) break
      }
    }
  } finally {
    await file.close()
  }
}
