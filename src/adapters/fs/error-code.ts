/** What the system calls a failure: `ENOENT`, `ENOSPC` and the like. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT'

export const isOutOfSpace = (error: unknown): boolean =>
  codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'

/** SQLite's extended result code. The low byte is the primary one, whatever SQLite adds above it. */
export const sqliteErrorCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined

const SQLITE_FULL = 13
/** What SQLite calls an input/output error: there is no room for the memory that its processes share. */
const SQLITE_IOERR_SHMSIZE = 4874

/** A full disk is told by one code while a file grows, and by another when shared memory for it is made. */
export const isSqliteFull = (error: unknown): boolean => {
  const code = sqliteErrorCode(error) ?? 0
  return (code & 0xff) === SQLITE_FULL || code === SQLITE_IOERR_SHMSIZE
}

/** The same error of SQLite, with the file that it is about. */
export const inFile = (file: string, error: unknown): unknown =>
  error instanceof Error
    ? Object.assign(new Error(`${file}: ${error.message}`, { cause: error }), {
        errcode: sqliteErrorCode(error),
      })
    : error
