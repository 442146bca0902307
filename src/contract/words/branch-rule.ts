import type { BranchMatch } from '../api/custom-environment.ts'

/** `main`, `release/*` or `*-rc`. */
export const branchRule = ({
  type,
  pattern,
}: {
  readonly type: BranchMatch
  readonly pattern: string
}): string => (type === 'equals' ? pattern : type === 'startsWith' ? `${pattern}*` : `*${pattern}`)
