import type { Readable } from 'node:stream'

/** A content that a commit only points to. */
export interface LfsPointer {
  /** The SHA-256 of the content, which is its name. */
  readonly oid: string
  readonly size: number
}

/** Pointers are shorter than this by the specification. */
export const MAX_POINTER = 1024

/**
 * Where the contents behind pointers are: the server for Git LFS of the repository that they are in. Rejects with a
 * `GitError` in words; objects that it does not have are left out of the answer.
 */
export interface LfsObjects {
  /** Calls `take` for each object that the server has, one after the other, with its content as it comes. */
  download(
    pointers: readonly LfsPointer[],
    take: (pointer: LfsPointer, content: Readable) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>
}

/** Undefined for a file that is no pointer. */
export function readPointer(bytes: Buffer): LfsPointer | undefined {
  if (bytes.length > MAX_POINTER) return undefined
  const lines = bytes.toString('utf8').split('\n')
  if (!/^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1$/.test(lines[0] ?? ''))
    return undefined
  const oid = lines.map((line) => /^oid sha256:([0-9a-f]{64})$/.exec(line)?.[1]).find(Boolean)
  const size = lines.map((line) => /^size (\d{1,15})$/.exec(line)?.[1]).find(Boolean)
  return oid === undefined || size === undefined ? undefined : { oid, size: Number(size) }
}
