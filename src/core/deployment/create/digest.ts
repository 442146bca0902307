import { createHash, type Hash } from 'node:crypto'
import { isRecord } from '../../is-record.ts'
import { inSlices } from '../../slices.ts'
import type { BuildSpec } from '../deployment.ts'
import type { RequestedEnv } from '../env/requested-env.ts'

/**
 * What makes two deployments the same besides their files. `meta` does not count but for the branch, nor does the order
 * of keys.
 */
export interface DigestInput {
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

interface DigestedFile {
  readonly path: string
  readonly sha1: string
  readonly mode: number
}

/** Characters that are hashed at a time: a call for each file would take longer than what it hashes. */
const CHUNK = 16 * 1024

/** Hashes files that come in the order of their paths. */
export class FilesHash {
  readonly #hash = createHash('sha256')
  #lines = ''

  add({ path, sha1, mode }: DigestedFile): void {
    this.#lines += `${path}\0${sha1}\0${mode}\n`
    if (this.#lines.length < CHUNK) return
    this.#hash.update(this.#lines)
    this.#lines = ''
  }

  end(): Hash {
    return this.#hash.update(this.#lines)
  }
}

/** The same of many in that order. It is done before the transaction that needs the digest. */
export async function hashFiles(sorted: readonly DigestedFile[]): Promise<Hash> {
  const hash = new FilesHash()
  await inSlices(sorted, (file) => hash.add(file))
  return hash.end()
}

export const digestOf = (files: Hash, { env, buildEnv, regions, alias, ...rest }: DigestInput): string =>
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
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
