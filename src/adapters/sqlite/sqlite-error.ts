/** SQLite's extended result code. The low byte is the primary one, whatever SQLite adds above it. */
export const sqliteCodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined

export const primaryCodeOf = (error: unknown): number => (sqliteCodeOf(error) ?? 0) & 0xff

const BUSY = 5
const CORRUPT = 11
const FULL = 13
const NOT_A_DATABASE = 26
/** What SQLite calls an input/output error: there is no room for the memory that its processes share. */
const IOERR_SHMSIZE = 4874

/** Another connection holds the lock; nothing happened and the statement may be run again. */
export const isBusy = (error: unknown): boolean => primaryCodeOf(error) === BUSY

export const isDamaged = (error: unknown): boolean =>
  primaryCodeOf(error) === CORRUPT || primaryCodeOf(error) === NOT_A_DATABASE

/** A full disk is told by one code while a file grows, and by another when shared memory for it is made. */
export const isSqliteFull = (error: unknown): boolean =>
  primaryCodeOf(error) === FULL || sqliteCodeOf(error) === IOERR_SHMSIZE

/** The same error of SQLite, with the file that it is about. */
export const inFile = (file: string, error: unknown): unknown =>
  error instanceof Error
    ? Object.assign(new Error(`${file}: ${error.message}`, { cause: error }), {
        errcode: sqliteCodeOf(error),
      })
    : error
