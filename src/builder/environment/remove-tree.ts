import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { MINUTE } from '#contract/time.ts'

const run = promisify(execFile)

/** Programs of the machine that go about trees of any depth and never follow a link, whatever is in them. */
const TREE_TOOLS = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, maxBuffer: 2 ** 20 }

/** Removes what nobody uses any more; it may be deep, read-only, full of links, or absent. */
export async function removeTree(path: string): Promise<void> {
  const remove = () => run('rm', ['-rf', '--', path], TREE_TOOLS)
  try {
    await remove()
  } catch {
    // Only root may empty folders that are not writable.
    await run('chmod', ['-R', 'u+rwX', '--', path], TREE_TOOLS).catch(() => {})
    await remove()
  }
}

/** Lets everybody read a tree of ours, whatever this process's umask is. */
export async function openTree(path: string): Promise<void> {
  await run('chmod', ['-R', 'u=rwX,go=rX', '--', path], TREE_TOOLS)
}

/**
 * Has what was written into a tree outlast a power cut, together with all else on its file system: of thousands of files, that
 * takes less time than each by itself. Where the machine's program cannot do it, the answer is false, and the system does so after
 * some seconds.
 */
export const syncTree = (path: string): Promise<boolean> =>
  run('sync', ['-f', '--', path], TREE_TOOLS).then(
    () => true,
    () => false,
  )

/**
 * The space that a tree takes on the disk; undefined where it cannot be told now, as files come and go. Folders that their
 * owner may not read are opened, whatever is in them: else what they hold would not be counted.
 */
export async function treeBytes(path: string, signal?: AbortSignal): Promise<number | undefined> {
  const kilobytes = await count(['-skx'], path, signal)
  return kilobytes === undefined ? undefined : kilobytes * 1024
}

/** How many files and folders a tree has, empty ones too; undefined where it cannot be told now. */
export const treeFiles = (path: string, signal?: AbortSignal): Promise<number | undefined> =>
  count(['-sx', '--inodes'], path, signal)

const OPENING_MS = MINUTE

async function count(
  options: readonly string[],
  path: string,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const counted = await du(options, path, signal)
  if (counted !== 'closed') return counted
  // Nothing else is changed, since a build may be under way in it.
  const closed = ['-xdev', '-type', 'd', '!', '-perm', '-u=rx']
  await run('find', [path, ...closed, '-execdir', 'chmod', 'u+rx', '--', '{}', ';'], {
    ...{ ...TREE_TOOLS, timeout: OPENING_MS },
    ...(signal ? { signal } : {}),
  }).catch(() => {})
  const again = await du(options, path, signal)
  return again === 'closed' ? undefined : again
}

/** Says so where there are folders that it could not look into. */
async function du(
  options: readonly string[],
  path: string,
  signal?: AbortSignal,
): Promise<number | 'closed' | undefined> {
  const read = (stdout: string) => {
    const number = /^(\d+)/.exec(stdout)?.[1]
    return number === undefined ? undefined : Number(number)
  }
  try {
    return read(
      (await run('du', [...options, '--', path], { ...TREE_TOOLS, ...(signal ? { signal } : {}) })).stdout,
    )
  } catch (error) {
    const { stdout, stderr, code } = error as { stdout?: unknown; stderr?: unknown; code?: unknown }
    if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' || /Permission denied/.test(String(stderr)))
      return 'closed'
    // It complains of what vanished while it counted, and has counted the rest.
    return read(String(stdout ?? ''))
  }
}
