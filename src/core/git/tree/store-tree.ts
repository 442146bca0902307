import type { Owner } from '../../access/context.ts'
import type { FileInput } from '../../deployment/file/manifest.ts'
import { checkPresent } from '../../file/check-present.ts'
import type { UploadedFile } from '../../file/file-store.ts'
import { asAnswer, MAX_FILE_BYTES } from '../../file/files.ts'
import type { BlobDigest } from '../../ports/blob-store.ts'
import type { GitContent } from '../git-repositories.ts'
import { type LfsSource, storeLfs } from './store-lfs.ts'
import { type CommitPlace, entriesWithModules, type OpenModule, type OwnedEntry } from './submodules.ts'
import { filesOfTree, LINK } from './tree-files.ts'
import type { StoreTreeParts } from './tree-parts.ts'
import { withoutUnwanted } from './unwanted.ts'

/** Contents that are made durable together, and the bytes of them that are held in memory until then. */
const BATCH = 200
const BATCH_BYTES = 16 * 1024 * 1024
/** No path of a deployment is longer. */
const MAX_TARGET = 1024
const MAX_NOTES = 100

interface TreeSource extends LfsSource {
  readonly at: CommitPlace
  readonly openModule: OpenModule
}

interface StoredTree {
  readonly files: readonly FileInput[]
  readonly notes: readonly string[]
}

/**
 * Puts the files of a commit where those of deployments are, with those of its submodules and the contents that it only
 * points to. What the account has of them already costs nothing.
 */
export async function storeTree(
  parts: StoreTreeParts,
  owner: Owner,
  source: TreeSource,
  signal: AbortSignal,
): Promise<StoredTree> {
  const { repositories, objects, clock } = parts
  const tree = await entriesWithModules(repositories, source.at, source.openModule)
  const { files: found, notes } = await filesOfTree(tree.entries, await targetsOf(parts, tree.entries))
  const files = await withoutUnwanted(parts, found)
  const lfs = await storeLfs(parts, owner, source, files, signal)
  const plain = files.filter(({ oid }) => !lfs.stored.has(oid))
  const oids = [...new Set(plain.map(({ oid }) => oid))]
  const known = await objects.known(owner.id, oids)
  const had = await parts.files.claim(owner.id, [...new Set(known.values())], clock.now())
  const isThere = (oid: string) => had.has(known.get(oid) ?? '')
  const wanted = [...new Map(plain.map((entry) => [entry.oid, entry])).values()].filter(
    ({ oid }) => !isThere(oid),
  )
  const stored = await storeContents(parts, owner, wanted)
  return {
    files: files.map(({ path, oid, size, mode }) => ({
      file: path,
      sha: lfs.stored.get(oid)?.sha1 ?? stored.get(oid) ?? (known.get(oid) as string),
      size: lfs.stored.get(oid)?.size ?? size,
      mode: Number.parseInt(mode, 8),
    })),
    notes: shortened([...tree.notes, ...lfs.notes, ...notes]),
  }
}

/** What links contain, by the ids of their objects. To start git for each would take a commit of many links hours. */
async function targetsOf(
  { repositories }: StoreTreeParts,
  entries: readonly OwnedEntry[],
): Promise<ReadonlyMap<string, string>> {
  const links = entries.filter(({ mode, size }) => mode === LINK && size <= MAX_TARGET)
  const once = [...new Map(links.map((entry) => [entry.oid, entry])).values()]
  const targets = new Map<string, string>()
  for (const [repository, own] of Map.groupBy(once, (entry) => entry.repository))
    for await (const content of repositories.contents(repository, own))
      if ('bytes' in content) targets.set(content.oid, content.bytes.toString('utf8'))
  return targets
}

function shortened(notes: readonly string[]): readonly string[] {
  if (notes.length <= MAX_NOTES) return notes
  return [...notes.slice(0, MAX_NOTES), `There are ${notes.length - MAX_NOTES} more notes like these.`]
}

/** SHA-1s of contents by the ids of their objects. */
async function storeContents(
  parts: StoreTreeParts,
  owner: Owner,
  wanted: readonly OwnedEntry[],
): Promise<ReadonlyMap<string, string>> {
  const stored = new Map<string, string>()
  if (wanted.length === 0) return stored
  const room = await parts.content.take(
    owner,
    wanted.reduce((sum, { size }) => sum + size, 0),
  )
  try {
    let batch: Promise<readonly [string, BlobDigest]>[] = []
    let bytes = 0
    const flush = async () => {
      const pairs = await Promise.all(batch)
      batch = []
      bytes = 0
      const rows: UploadedFile[] = pairs.map(([, { sha1, sha256, size }]) => ({ sha1, sha256, size }))
      await parts.files.add(owner.id, rows, parts.clock.now(), room.limit)
      await checkPresent(parts, rows)
      const objects = new Map(pairs.map(([oid, { sha1 }]) => [oid, sha1]))
      await parts.objects.add(owner.id, objects)
      for (const [oid, sha1] of objects) stored.set(oid, sha1)
    }
    for (const [repository, entries] of Map.groupBy(wanted, (entry) => entry.repository))
      for await (const content of parts.repositories.contents(repository, entries)) {
        const put = store(parts.blobs, content)
        // A stream has to be read before the next content comes.
        if ('stream' in content) await put
        else bytes += content.size
        const pair = put.then((digest) => [content.oid, digest] as const)
        // Told when the batch is awaited, and not as one that nobody listens to.
        pair.catch(() => undefined)
        batch.push(pair)
        if (batch.length >= BATCH || bytes >= BATCH_BYTES) await flush()
      }
    if (batch.length > 0) await flush()
    return stored
  } finally {
    room.release()
  }
}

const store = (blobs: StoreTreeParts['blobs'], content: GitContent): Promise<BlobDigest> =>
  ('bytes' in content
    ? blobs.putBytes(content.bytes)
    : blobs.put(content.stream, { maxBytes: MAX_FILE_BYTES, sizeHint: content.size })
  ).catch(asAnswer)
