import { PackFault } from '../fault.ts'
import { show } from '../place.ts'
import { compileFault } from './compile.ts'
import { literalOf, readDeclarations } from './declarations.ts'

/** What a middleware says of itself. */
interface MiddlewareConfig {
  readonly isNode: boolean
  /** Undefined: it is asked for every path. */
  readonly matchers: readonly Matcher[] | undefined
}

export interface Matcher {
  /** In the form of `/users/:name*`, or a regex in brackets. */
  readonly source: string
  readonly has: readonly unknown[]
  readonly missing: readonly unknown[]
}

/**
 * Read from `export const config`, without running anything. What guards a site must not be guessed at: where it cannot
 * be read, the build fails.
 */
export async function readMiddlewareConfig(file: string, shown: string): Promise<MiddlewareConfig> {
  const { constants, exported } = await readDeclarations(file).catch((error) => {
    throw compileFault(file, error)
  })
  const given = exported.has('config') ? constants.get('config') : undefined
  const unread = (): never => {
    throw new PackFault(
      'invalid_middleware',
      `${show(shown)}: \`config\` cannot be read without running it. Write it as plain strings, lists and objects.`,
    )
  }
  const config = given === undefined ? {} : (literalOf(given, constants) ?? unread())
  if (typeof config !== 'object' || Array.isArray(config)) return unread()
  const { runtime, matcher } = config as Record<string, unknown>
  return {
    isNode: runtime === 'nodejs',
    matchers: matcher === undefined ? undefined : [matcher].flat().map((one) => toMatcher(one, shown)),
  }
}

function toMatcher(given: unknown, shown: string): Matcher {
  const { source, has, missing } = (
    typeof given === 'string' ? { source: given } : (given ?? {})
  ) as Partial<Matcher>
  const isList = (value: unknown) => value === undefined || Array.isArray(value)
  if (typeof source !== 'string' || !source.startsWith('/') || !isList(has) || !isList(missing))
    throw new PackFault(
      'invalid_middleware',
      `${show(shown)}: each \`matcher\` should be a path that starts with a slash, or an object with such a path as \`source\`.`,
    )
  return { source, has: has ?? [], missing: missing ?? [] }
}
