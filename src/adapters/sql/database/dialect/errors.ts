import { AloftError } from '#contract/errors.ts'
import { isOutOfSpace } from '../../../fs/error-code.ts'
import { inFile, isDamaged, isSqliteFull, primaryCodeOf, sqliteCodeOf } from '../../../sqlite/sqlite-error.ts'

interface DriverError {
  readonly code?: unknown
  /** Only errors that the PostgreSQL server sent have one. */
  readonly severity?: unknown
  readonly message?: unknown
}

/** Busy, locked, an input/output error, full, cannot be opened. */
const SQLITE_GONE: readonly number[] = [5, 6, 10, 13, 14]
const SQLITE_UNIQUE: readonly number[] = [1555, 2067]
const SQLITE_REFERENCE = 787
const SQLSTATE_NO_SPACE = '53100'

/** A server that takes no writes any more has handed over to another, which a new connection finds. */
const SQLSTATE_LOST = /^(?:08|57P|25006|25P0[34])/
/** Connection lost, out of resources, told to stop or to wait no longer; and a transaction to repeat. */
const SQLSTATE_GONE = /^(?:08|53|57|25006|25P0[34]|40001|40P01|55P03)/
const SQLSTATE_LOCKED = '55P03'
const SQLSTATE_REPEAT = /^(?:40001|40P01)$/

const SOCKET_GONE: readonly unknown[] = [
  'EACCES',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]
/** What `pg` says, without a code, when there is no usable connection. */
const CLIENT_GONE =
  /^(?:Connection terminated|Client has encountered|Client was closed|Query read timeout|timeout e)/

const asDriverError = (error: unknown): DriverError =>
  typeof error === 'object' && error !== null ? error : {}

const sqlState = (error: unknown): string | undefined => {
  const { code, severity } = asDriverError(error)
  return severity !== undefined && typeof code === 'string' ? code : undefined
}

export const isUniqueViolation = (error: unknown): boolean =>
  sqlState(error) === '23505' || SQLITE_UNIQUE.includes(sqliteCodeOf(error) ?? 0)

/** What a row belongs to is not there: somebody deleted it after it was looked at. */
const isReferenceViolation = (error: unknown): boolean =>
  sqlState(error) === '23503' || sqliteCodeOf(error) === SQLITE_REFERENCE

/** Whether the connection itself, not the statement, is what failed. */
export function isConnectionError(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined) return SQLSTATE_LOST.test(state)
  const { code, message } = asDriverError(error)
  return SOCKET_GONE.includes(code) || (typeof message === 'string' && CLIENT_GONE.test(message))
}

const isUnavailable = (error: unknown): boolean =>
  SQLITE_GONE.includes(primaryCodeOf(error)) ||
  SQLSTATE_GONE.test(sqlState(error) ?? '') ||
  isConnectionError(error)

/** Whether a disk is full: that of the database, whichever it is. */
const isNoSpace = (error: unknown): boolean =>
  isSqliteFull(error) || isOutOfSpace(error) || sqlState(error) === SQLSTATE_NO_SPACE

/** The file is not what it was: nothing but another file helps. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase'
  readonly file: string

  constructor(file: string, cause: unknown) {
    super(`The database ${file} is damaged. Restore it from a backup with \`aloft operator restore\`.`, {
      cause,
    })
    this.file = file
  }
}

/** Nothing can be written before something was deleted. */
export class NoSpaceLeft extends AloftError {
  constructor(cause: unknown) {
    super(
      'service_unavailable',
      'No space is left on the disk of the database. What exists is still served; deleting deployments makes room.',
      {},
      { cause },
    )
  }
}

const where = (file: string | undefined, error: unknown): unknown =>
  file === undefined ? error : inFile(file, error)

/**
 * What leaves the adapter instead of a driver's error. The driver's own words stay in `cause`, for the log, with the
 * file they are about.
 */
export function convertError(error: unknown, file?: string): unknown {
  if (error instanceof AloftError) return error
  if (file !== undefined && isDamaged(error)) return new DamagedDatabase(file, error)
  if (isNoSpace(error)) return new NoSpaceLeft(where(file, error))
  if (isUniqueViolation(error))
    return new AloftError(
      'conflict',
      'This conflicts with something that already exists.',
      {},
      { cause: error },
    )
  if (isReferenceViolation(error))
    return new AloftError(
      'not_found',
      'What this belongs to was deleted at the same moment.',
      {},
      { cause: error },
    )
  if (isUnavailable(error))
    return new AloftError(
      'service_unavailable',
      'The database isn’t responding. Try again later.',
      {},
      { cause: where(file, error) },
    )
  return error
}

/** The database undid the transaction to let another one pass: doing all of it again will work. */
export const isRepeatable = (error: unknown): boolean =>
  error instanceof AloftError && SQLSTATE_REPEAT.test(sqlState(error.cause) ?? '')

/** Another transaction did not give the lock up in the time there was. */
export const isLocked = (error: unknown): boolean =>
  error instanceof AloftError && sqlState(error.cause) === SQLSTATE_LOCKED
