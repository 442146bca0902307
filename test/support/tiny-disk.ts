import { spawnSync } from 'node:child_process'

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
