import { setImmediate } from 'node:timers/promises'
import { inSlices, sortInSlices } from '../../slices.ts'
import type { ManifestFile } from './manifest.ts'

/** The tree of a deployment's files, one step after the other: what is between `open` and `close` is in the folder. */
export type TreeStep =
  | { readonly kind: 'file'; readonly name: string; readonly sha1: string; readonly mode: number }
  | { readonly kind: 'open'; readonly name: string }
  | { readonly kind: 'close' }

/** Steps that are made before others have their turn. */
const BATCH = 500

/** Folders nested, everything in alphabetical order. There can be so many files that it comes in batches. */
export async function* walkTree(files: readonly ManifestFile[]): AsyncGenerator<readonly TreeStep[]> {
  // With the least of all characters between names, a folder comes where its name does. Paths have no such character.
  const keyed: { readonly key: string; readonly file: ManifestFile }[] = []
  await inSlices(files, (file) => keyed.push({ key: file.path.replaceAll('/', '\0'), file }))
  const sorted = await sortInSlices(keyed, (a, b) => (a.key < b.key ? -1 : 1))
  let folders: readonly string[] = []
  let batch: TreeStep[] = []
  for (const { file } of sorted) {
    const parts = file.path.split('/')
    const name = parts.pop() as string
    let shared = 0
    while (shared < folders.length && folders[shared] === parts[shared]) shared++
    for (let i = folders.length; i > shared; i--) batch.push({ kind: 'close' })
    for (const folder of parts.slice(shared)) batch.push({ kind: 'open', name: folder })
    batch.push({ kind: 'file', name, sha1: file.sha1, mode: file.mode })
    folders = parts
    if (batch.length < BATCH) continue
    yield batch
    batch = []
    await setImmediate()
  }
  yield [...batch, ...folders.map(() => ({ kind: 'close' }) as const)]
}
