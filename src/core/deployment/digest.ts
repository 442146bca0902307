import { createHash, type Hash } from 'node:crypto'
import { inSlices, sortInSlices } from '../slices.ts'
import type { BuildSpec } from './deployment.ts'
import type { RequestedEnv } from './env.ts'
import type { ManifestFile } from './manifest.ts'

/**
 * What makes two deployments the same besides their files. `meta` does not count but for the branch, nor does the order
 * of keys.
 */
export interface Sameness {
  readonly ownerId: string
  readonly project: string
  readonly env: RequestedEnv
  readonly buildEnv: RequestedEnv
  readonly builds: readonly BuildSpec[]
  readonly routes: readonly unknown[] | null
  readonly regions: readonly string[]
  readonly public: boolean
  readonly target: string | null
  readonly alias: readonly string[] | null
  /** Versions of the project's variables that it is given. */
  readonly variables?: readonly string[]
  /** The project's settings that shape the outcome, where they are not the usual ones. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** The branch of a repository: what is said about a deployment of another one does not fit. */
  readonly branch?: string | undefined
  /** What else a generation of the API lets one choose. */
  readonly other?: Readonly<Record<string, unknown>>
}

type FileSameness = Pick<ManifestFile, 'path' | 'sha1' | 'mode'>

/** Characters that are hashed at a time: a call for each file would take longer than what it hashes. */
const CHUNK = 16 * 1024

/** The files in any order. There can be so many that it is done before the transaction that needs the digest. */
export async function hashFiles(files: readonly FileSameness[]): Promise<Hash> {
  const hash = createHash('sha256')
  const sorted = await sortInSlices(files, (a, b) => (a.path < b.path ? -1 : 1))
  let lines = ''
  await inSlices(sorted, ({ path, sha1, mode }) => {
    lines += `${path}\0${sha1}\0${mode}\n`
    if (lines.length < CHUNK) return
    hash.update(lines)
    lines = ''
  })
  return hash.update(lines)
}

export const digestOf = (files: Hash, { env, buildEnv, regions, alias, ...rest }: Sameness): string =>
  files
    .copy()
    .update(
      canonical({
        ...rest,
        env: Object.fromEntries(env),
        buildEnv: Object.fromEntries(buildEnv),
        regions: [...regions].sort(),
        alias: alias && [...alias].sort(),
      }),
    )
    .digest('hex')

/** JSON with sorted keys: equal values have equal text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
