/** What the system calls a failure: `ENOENT`, `ENOSPC` and the like. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** For what may not be there, nor the folder that it would be in. */
export function ignoreAbsence(error: unknown): undefined {
  if (!isMissing(error) && codeOf(error) !== 'ENOTDIR') throw error
}

export const isOutOfSpace = (error: unknown): boolean =>
  codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'
