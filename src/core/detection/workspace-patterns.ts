import { compileGlob, GlobError } from '#contract/glob/glob.ts'

/** Whether the patterns of a workspace name a folder. Those with a `!` take away what others name. */
export function isNamed(patterns: readonly string[], folder: string): boolean {
  const matches = (pattern: string): boolean => {
    try {
      return compileGlob(pattern.replace(/^\.\//, '').replace(/\/+$/, '')).matches(folder)
    } catch (error) {
      if (error instanceof GlobError) return false
      throw error
    }
  }
  const isExcluded = patterns.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1)))
  return !isExcluded && patterns.some((pattern) => !pattern.startsWith('!') && matches(pattern))
}
