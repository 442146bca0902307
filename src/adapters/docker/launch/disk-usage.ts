import { execFile } from 'node:child_process'
import { showLimit } from '#contract/amounts.ts'
import type { Engine } from '../engine/engine.ts'

export interface WriteLimits {
  /** What a container may write into its own files and volumes. */
  readonly diskBytes: number
  /** How many files it may make: empty ones take no space, but a disk has room for only so many. */
  readonly diskFiles: number
  /** How often that is looked at: the engine has quotas only on few file systems. */
  readonly lookMs: number
}

interface DiskUsage {
  readonly bytes: number
  readonly files: number
}

/** Why a container has to end, if it has written too much. */
export async function overDiskLimits(
  engine: Engine,
  id: string,
  { diskBytes, diskFiles }: WriteLimits,
): Promise<string | undefined> {
  const { bytes, files } = await diskUsageOf(engine, id)
  if (bytes > diskBytes) return `The container has written more than the ${showLimit(diskBytes)} that it may`
  if (files > diskFiles)
    return `The container has made more than the ${diskFiles.toLocaleString('en')} files that it may`
  return undefined
}

/** What is on the disk because of a container: what its image calls a volume is not among its own files. */
export async function diskUsageOf(engine: Engine, id: string): Promise<DiskUsage> {
  const details = await engine.container(id, { size: true })
  const volumes = (details?.Mounts ?? []).filter(({ Type }) => Type === 'volume')
  const folders = volumes.map(({ Source }) => Source)
  const inVolumes = await sumOf('--block-size=1', folders)
  const bytes = inVolumes ?? (await engine.volumeBytes(volumes.map(({ Name = '' }) => Name)))
  const own = details?.GraphDriver?.Data?.UpperDir
  const files = await sumOf('--inodes', own === undefined ? folders : [own, ...folders])
  return { bytes: (details?.SizeRw ?? 0) + bytes, files: files ?? 0 }
}

/** Where the files of an engine are is known of some only, and seen by root alone: else none can be counted. */
const sumOf = (
  what: '--inodes' | '--block-size=1',
  folders: readonly string[],
): Promise<number | undefined> =>
  new Promise((resolve) => {
    if (folders.length === 0) return resolve(0)
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }
    // It complains of what vanished while it counted, and has counted the rest.
    execFile('du', ['-sx', what, '--', ...folders], { env, cwd: '/' }, (_error, stdout) => {
      const counts = [...stdout.matchAll(/^\d+(?=\t)/gm)].map(Number)
      resolve(counts.length < folders.length ? undefined : counts.reduce((sum, count) => sum + count, 0))
    })
  })
