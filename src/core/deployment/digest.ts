import { createHash } from 'node:crypto'
import type { BuildSpec } from './deployment.ts'
import type { EnvWish } from './env.ts'

/** What makes two deployments the same. `meta` does not count but for the branch, nor does the order of files or keys. */
export interface Sameness {
  readonly ownerId: string
  readonly project: string
  readonly files: readonly { readonly path: string; readonly sha1: string; readonly mode: number }[]
  readonly env: EnvWish
  readonly buildEnv: EnvWish
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

export function digestOf({ files, env, buildEnv, regions, alias, ...rest }: Sameness): string {
  const hash = createHash('sha256')
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1))
  for (const { path, sha1, mode } of sorted) hash.update(`${path}\0${sha1}\0${mode}\n`)
  hash.update(
    canonical({
      ...rest,
      env: Object.fromEntries(env),
      buildEnv: Object.fromEntries(buildEnv),
      regions: [...regions].sort(),
      alias: alias && [...alias].sort(),
    }),
  )
  return hash.digest('hex')
}

/** JSON with sorted keys: equal values have equal text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
