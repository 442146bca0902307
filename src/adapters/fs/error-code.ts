/** What the system calls a failure: `ENOENT`, `ENOSPC` and the like. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT'

export const isOutOfSpace = (error: unknown): boolean =>
  codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'
