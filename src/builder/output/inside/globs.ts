import { compileGlob, GlobError, globBudget } from '#contract/glob/glob.ts'
import { PackFault } from './fault.ts'
import { show } from './place.ts'

/**
 * Whether one of the patterns names a path, also where a name in it begins with a dot. They are of the owner's making, and take
 * no more time than all patterns do.
 */
export function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  const budget = globBudget()
  const globs = patterns.map((pattern) => orRefuse(pattern, () => compileGlob(pattern, budget, true)))
  return (path) => globs.some((glob, at) => orRefuse(patterns[at] as string, () => glob.matches(path)))
}

function orRefuse<T>(pattern: string, use: () => T): T {
  try {
    return use()
  } catch (error) {
    if (!(error instanceof GlobError)) throw error
    throw new PackFault('invalid_pattern', `${show(pattern)} cannot be used as a pattern: ${error.message}`)
  }
}
