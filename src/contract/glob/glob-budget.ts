import { GlobError } from './glob-error.ts'

/** Work that many patterns and many paths may make together, in characters looked at. */
export interface GlobBudget {
  left: number
}

export const globBudget = (left = 200_000_000): GlobBudget => ({ left })

export function spend(budget: GlobBudget, work: number): void {
  budget.left -= work
  if (budget.left < 0) throw new GlobError('it takes too long to match against so many files')
}
