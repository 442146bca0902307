import { pipeline } from 'node:stream/promises'
import { type Pack, pack } from 'tar-stream'
import type { ManifestFile } from '#core/deployment/file/manifest.ts'
import type { SourceTree } from '#core/detection/source-tree.ts'
import type { OutputContent } from '#core/output/output.ts'
import { BlobError, type BlobStore } from '#core/ports/blob-store.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import { inSlices } from '#core/slices.ts'
import { readDockerIgnore, TooMuchToMatch } from './docker-ignore.ts'

export type ContextStore = Pick<BlobStore, 'read' | 'open' | 'put'>

interface Context {
  readonly archive: OutputContent
  readonly fileCount: number
}

const MAX_BYTES = 2 * 2 ** 30
/** Read whole up to here, and streamed above. */
const SMALL = 2 ** 20

/** The files that an engine is given to build from, as a tar in the store. The same files make the same tar. */
export async function storeContext(
  tree: SourceTree<ManifestFile>,
  dockerfile: string,
  {
    blobs,
    signal,
    run,
  }: { readonly blobs: ContextStore; readonly signal: AbortSignal; readonly run: string },
): Promise<Context> {
  const paths = await contextPaths(tree, dockerfile).catch((error: unknown) => {
    if (!(error instanceof TooMuchToMatch)) throw error
    throw new BuildFailure(
      'context_too_large',
      'The patterns in .dockerignore take too long to compare with all files: use fewer or simpler ones.',
      run,
    )
  })
  const archive = pack()
  const packed = fill(archive, paths, tree, blobs, signal)
  packed.catch((error) => archive.destroy(error))
  try {
    const { sha1, sha256, size } = await blobs.put(archive as unknown as AsyncIterable<Uint8Array>, {
      maxBytes: MAX_BYTES,
      signal,
    })
    await packed
    return { archive: { sha1, sha256, size }, fileCount: paths.length }
  } catch (error) {
    archive.destroy()
    await packed.catch(() => {})
    signal.throwIfAborted()
    if (error instanceof BlobError && error.kind === 'too_large')
      throw new BuildFailure(
        'context_too_large',
        'The files are too large: exclude those that the image does not need in .dockerignore.',
        run,
      )
    throw error
  }
}

/** In order. The Dockerfile itself goes along whatever is ignored. */
async function contextPaths(tree: SourceTree, dockerfile: string): Promise<readonly string[]> {
  const own = `${dockerfile}.dockerignore`
  const text = await tree.text(tree.has(own) ? own : '.dockerignore')
  const ignores = readDockerIgnore(text ?? '')
  const kept: string[] = []
  await inSlices(tree.paths, (path) => {
    if (path === dockerfile || !ignores(path)) kept.push(path)
  })
  return kept.sort()
}

async function fill(
  archive: Pack,
  paths: readonly string[],
  tree: SourceTree<ManifestFile>,
  blobs: ContextStore,
  signal: AbortSignal,
): Promise<void> {
  for (const path of paths) {
    signal.throwIfAborted()
    await add(archive, path, tree.file(path) as ManifestFile, blobs)
  }
  archive.finalize()
}

const EPOCH = new Date(0)

async function add(archive: Pack, path: string, file: ManifestFile, blobs: ContextStore): Promise<void> {
  const { size, sha256 } = file
  const header = {
    name: path,
    size,
    mode: file.mode & 0o111 ? 0o755 : 0o644,
    mtime: EPOCH,
    ...{ uid: 0, gid: 0, type: 'file' as const },
  }
  const gone = () => new Error(`The content of ${JSON.stringify(path)} is not stored`)
  if (size > SMALL) {
    const content = await blobs.open(sha256)
    if (content === undefined) throw gone()
    return pipeline(content, archive.entry(header))
  }
  const bytes = await blobs.read(sha256)
  if (bytes === undefined) throw gone()
  await new Promise<void>((resolve, reject) => {
    archive.entry(header, bytes, (error) => (error ? reject(error) : resolve()))
  })
}
