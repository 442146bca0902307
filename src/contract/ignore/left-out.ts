import { type GlobBudget, spend } from '../glob/glob-budget.ts'
import { type IgnoreRule, verdictOf } from './ignore.ts'

/** In the order in which they are heeded: of one folder, the last has the last word. */
export const IGNORE_FILES: readonly string[] = ['.gitignore', '.nowignore', '.vercelignore', '.aloftignore']

/** Those of the names in a folder that are heeded. The older of two names counts only where it is alone. */
export const ignoreFilesAmong = (names: readonly string[]): readonly string[] =>
  IGNORE_FILES.filter(
    (name) => names.includes(name) && !(name === '.nowignore' && names.includes('.vercelignore')),
  )

/** The rules of one folder, and of those above it. */
interface Scope {
  readonly isOut: boolean
  readonly rules: readonly IgnoreRule[]
  readonly above: Scope | undefined
}

/**
 * Whether files are left out by the rules of the folders that they are in, or folders that they are in are. Throws a
 * GlobError where that has taken more than the budget, of all paths together.
 */
export function leftOutBy(
  rulesIn: ReadonlyMap<string, readonly IgnoreRule[]>,
  { usual = [], budget }: { readonly usual?: readonly IgnoreRule[]; readonly budget: GlobBudget },
): (path: string) => boolean {
  const scopes = new Map<string, Scope>()
  const under = (above: Scope | undefined, folder: string, isOut: boolean): Scope => {
    const rules = rulesIn.get(folder) ?? []
    const scope = rules.length === 0 && above && !isOut ? above : { isOut, rules, above }
    scopes.set(folder, scope)
    return scope
  }
  const top = under({ isOut: false, rules: usual, above: undefined }, '', false)
  const isOut = (scope: Scope, parts: readonly string[], isFolder: boolean): boolean => {
    for (let at: Scope | undefined = scope; at !== undefined; at = at.above) {
      const verdict = verdictOf(at.rules, parts, { isFolder, budget })
      if (verdict !== undefined) return verdict
    }
    return false
  }
  const scopeOf = (parts: readonly string[]): Scope => {
    let scope = top
    let folder = ''
    for (let depth = 1; depth <= parts.length && !scope.isOut; depth++) {
      folder = depth === 1 ? (parts[0] as string) : `${folder}/${parts[depth - 1]}`
      spend(budget, folder.length)
      scope = scopes.get(folder) ?? under(scope, folder, isOut(scope, parts.slice(0, depth), true))
    }
    return scope
  }
  return (path) => {
    spend(budget, path.length)
    const parts = path.split('/')
    const scope = scopeOf(parts.slice(0, -1))
    return scope.isOut || isOut(scope, parts, false)
  }
}
