import { mkdir, readFile, rm, rmdir, symlink } from 'node:fs/promises'
import { need } from './arguments/start-argv.ts'
import { readMounts } from './cgroup/cgroup-places.ts'
import { isStale } from './owner-name.ts'
import { runTool } from './run-tool.ts'
import type { Tools } from './tools.ts'

const BYTES_PER_FILE = 4096

/** Puts a file system in memory over an empty folder; what it answers takes that away again, whoever still uses it. */
export async function mountBounded(
  tools: Tools,
  name: string,
  folder: string,
  bytes: number,
): Promise<() => Promise<void>> {
  const files = Math.max(16, Math.ceil(bytes / BYTES_PER_FILE))
  const options = `size=${bytes},nr_inodes=${files},mode=0755,nosuid,nodev,noexec`
  await runTool(need(tools, 'mount'), ['-n', '-t', 'tmpfs', '-o', options, name, folder])
  return async () => {
    // Nothing else of a run is to stay because of it; the next opening tries again.
    await runTool(need(tools, 'umount'), ['-n', '-l', '--', folder]).catch(() => {})
  }
}

/**
 * For who is not root: the file system is the run's own, and the folder of this machine leads there through one of its
 * processes. What is at `inside` is a mount on something that nobody inside can write to, so it stays what it is.
 */
export async function linkBounded(folder: string, pid: number, inside: string): Promise<() => Promise<void>> {
  await rmdir(folder)
  await symlink(`/proc/${pid}/root${inside}`, folder)
  return async () => {
    await rm(folder, { force: true })
    await mkdir(folder, { mode: 0o755 }).catch(() => {})
  }
}

/** Clears what processes left that died without closing their sandboxes. */
export async function removeStaleFolders(umount: string): Promise<void> {
  for (const { type, source, folder } of readMounts(await readFile('/proc/self/mountinfo', 'utf8')))
    if (type === 'tmpfs' && isStale(source)) await runTool(umount, ['-n', '-l', '--', folder]).catch(() => {})
}
