import { execFile } from 'node:child_process'
import { showLimit } from '#contract/amounts.ts'
import type { Engine } from '../engine/engine.ts'

export interface WriteLimits {
  /** What a container may write into its own files. */
  readonly diskBytes: number
  /** How many files it may make: empty ones take no space, but a disk has room for only so many. */
  readonly diskFiles: number
  /** How often that is looked at: the engine has quotas only on few file systems. */
  readonly lookMs: number
}

/** Why a container has to end, if it has written too much. */
export async function overwritten(
  engine: Engine,
  id: string,
  { diskBytes, diskFiles }: WriteLimits,
): Promise<string | undefined> {
  const details = await engine.container(id, { size: true })
  if ((details?.SizeRw ?? 0) > diskBytes)
    return `The container has written more than the ${showLimit(diskBytes)} that it may`
  const folder = details?.GraphDriver?.Data?.UpperDir
  const files = folder === undefined ? 0 : await filesIn(folder)
  if (files > diskFiles)
    return `The container has made more than the ${diskFiles.toLocaleString('en')} files that it may`
  return undefined
}

/** Where its files are is known of some engines only, and seen by root alone: else none are counted. */
const filesIn = (folder: string): Promise<number> =>
  new Promise((resolve) => {
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }
    // It complains of what vanished while it counted, and has counted the rest.
    execFile('du', ['-sx', '--inodes', '--', folder], { env, cwd: '/' }, (_error, stdout) =>
      resolve(Number(/^\d+/.exec(stdout)?.[0] ?? 0)),
    )
  })
