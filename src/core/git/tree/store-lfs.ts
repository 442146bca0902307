import { showLimit } from '#contract/amounts.ts'
import type { Owner } from '../../access/context.ts'
import { MAX_FILE_BYTES } from '../../file/files.ts'
import { GitError } from '../git-repositories.ts'
import { type LfsObjects, type LfsPointer, MAX_POINTER, readPointer } from './lfs.ts'
import type { OwnedEntry } from './submodules.ts'
import type { StoreTreeParts } from './tree-parts.ts'

export interface LfsSource {
  /** Whether the project wants the contents behind the pointers of Git LFS. */
  readonly isLfsOn: boolean
  /** Where those of a repository are; undefined where there is no such server. */
  readonly lfs: (origin: string) => LfsObjects | undefined
}

interface StoredLfs {
  /** By the ids of the pointers in git. */
  readonly stored: ReadonlyMap<string, { readonly sha1: string; readonly size: number }>
  readonly notes: readonly string[]
}

const ATTRIBUTES = /(?:^|\/)\.gitattributes$/
const MAX_ATTRIBUTES = 64 * 1024
/** Files that are named when something is missing. */
const NAMED = 10

/** Under which an object of Git LFS is remembered beside those of git, whose ids have no such beginning. */
const keyOf = ({ oid }: LfsPointer): string => `lfs-${oid}`

/** Contents that a commit only points to, where the project wants them. What is missing is told, by name. */
export async function storeLfs(
  parts: StoreTreeParts,
  owner: Owner,
  { isLfsOn, lfs }: LfsSource,
  files: readonly OwnedEntry[],
  signal: AbortSignal,
): Promise<StoredLfs> {
  const nothing = { stored: new Map(), notes: [] }
  if (!(await usesLfs(parts, files))) return nothing
  if (!isLfsOn)
    return {
      ...nothing,
      notes: [
        'The repository uses Git LFS, which is off for this project: its files are deployed as pointers. Turn on “Git LFS” in the project’s advanced settings.',
      ],
    }
  const pointers = await pointersIn(parts, files)
  const sha1s = await storedAlready(parts, owner, pointers)
  const notes: string[] = []
  const wanted = files.filter((entry) => {
    const pointer = pointers.get(entry.oid)
    return pointer !== undefined && !sha1s.has(pointer.oid)
  })
  for (const [origin, entries] of Map.groupBy(wanted, (entry) => entry.origin)) {
    const objects = lfs(origin)
    const missing = new Map<string, string>()
    const asked = new Map<string, LfsPointer>()
    for (const { oid, path } of entries) {
      const pointer = pointers.get(oid) as LfsPointer
      missing.set(pointer.oid, path)
      asked.set(pointer.oid, pointer)
    }
    let why = 'its server does not have them'
    try {
      if (!objects)
        throw new GitError(
          'this server does not store Git LFS objects. Keep the files in Git itself, or deploy from a host that stores them',
        )
      const fit = [...asked.values()].filter(({ size }) => size <= MAX_FILE_BYTES)
      if (fit.length < asked.size)
        why = `larger than ${showLimit(MAX_FILE_BYTES)}, or its server does not have them`
      const fetched = await fetchAll(parts, owner, objects, fit, signal)
      for (const [oid, sha1] of fetched) {
        sha1s.set(oid, sha1)
        missing.delete(oid)
      }
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      why = error.message
    }
    if (missing.size > 0) notes.push(missingNote([...missing.values()], why))
  }
  const stored = new Map(
    [...pointers].flatMap(([oid, pointer]) => {
      const sha1 = sha1s.get(pointer.oid)
      return sha1 === undefined ? [] : [[oid, { sha1, size: pointer.size }] as const]
    }),
  )
  return { stored, notes }
}

const missingNote = (paths: readonly string[], why: string): string =>
  `Git LFS files are missing and were deployed as pointers: ${paths.slice(0, NAMED).join(', ')}${paths.length > NAMED ? ` and ${paths.length - NAMED} more` : ''} (${why}).`

/** Whether any of its attributes name the filter: without that no file has to be looked at. */
async function usesLfs({ repositories }: StoreTreeParts, files: readonly OwnedEntry[]): Promise<boolean> {
  const attributes = files.filter(({ path, size }) => ATTRIBUTES.test(path) && size <= MAX_ATTRIBUTES)
  for (const [repository, entries] of Map.groupBy(attributes, (entry) => entry.repository))
    for await (const content of repositories.contents(repository, entries))
      if ('bytes' in content && content.bytes.includes('filter=lfs')) return true
  return false
}

/** By the ids of their objects. */
async function pointersIn({ repositories }: StoreTreeParts, files: readonly OwnedEntry[]) {
  const pointers = new Map<string, LfsPointer>()
  const small = files.filter(({ size }) => size <= MAX_POINTER)
  for (const [repository, entries] of Map.groupBy(small, (entry) => entry.repository))
    for await (const content of repositories.contents(repository, entries)) {
      const pointer = 'bytes' in content ? readPointer(content.bytes) : undefined
      if (pointer) pointers.set(content.oid, pointer)
    }
  return pointers
}

/** SHA-1s, by the names of the objects, of those that the account has. */
async function storedAlready(
  { objects, files, clock }: StoreTreeParts,
  owner: Owner,
  pointers: ReadonlyMap<string, LfsPointer>,
): Promise<Map<string, string>> {
  const known = await objects.known(owner.id, [...new Set([...pointers.values()].map(keyOf))])
  const had = await files.claim(owner.id, [...new Set(known.values())], clock.now())
  return new Map(
    [...pointers.values()].flatMap((pointer) => {
      const sha1 = known.get(keyOf(pointer))
      return sha1 !== undefined && had.has(sha1) ? [[pointer.oid, sha1] as const] : []
    }),
  )
}

async function fetchAll(
  { blobs, content, files, objects, clock }: StoreTreeParts,
  owner: Owner,
  server: LfsObjects,
  wanted: readonly LfsPointer[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const fetched = new Map<string, string>()
  const room = await content.take(
    owner,
    wanted.reduce((sum, { size }) => sum + size, 0),
  )
  try {
    await server.download(
      wanted,
      async (pointer, stream) => {
        const digest = await blobs.put(stream, {
          maxBytes: pointer.size,
          sizeHint: pointer.size,
          signal,
          accept: ({ sha256, size }) => {
            if (sha256 !== pointer.oid || size !== pointer.size)
              throw new GitError(`the content received for ${pointer.oid.slice(0, 12)} does not match`)
          },
        })
        await files.add(owner.id, [digest], clock.now(), room.limit)
        await objects.add(owner.id, new Map([[keyOf(pointer), digest.sha1]]))
        fetched.set(pointer.oid, digest.sha1)
      },
      signal,
    )
    return fetched
  } finally {
    room.release()
  }
}
