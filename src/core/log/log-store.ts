import type { LogType } from '#contract/api/log.ts'
import type { LogEntry, NewLogEntry } from './log-entry.ts'

/** Which entries of a log are meant. */
export interface LogFilter {
  /** Serials between these two, both exclusive. */
  readonly after?: string | undefined
  readonly before?: string | undefined
  readonly types?: readonly LogType[] | undefined
  /** Held by the entry's text, letter for letter. */
  readonly text?: string | undefined
  readonly name?: string | undefined
  /** The output of builds alone. */
  readonly builds?: boolean | undefined
  /** Both inclusive. */
  readonly status?: { readonly from: number; readonly to: number } | undefined
  readonly instanceId?: string | undefined
}

export interface LogQuery extends LogFilter {
  /** `backward` is the newest first. */
  readonly direction: 'forward' | 'backward'
  readonly limit: number
}

export interface LogPage {
  readonly entries: readonly LogEntry[]
  /** The serial of the last entry that was looked at, meant or not; absent when there was none. */
  readonly position?: string
  /** Whether there was nothing beyond `position`. */
  readonly complete: boolean
}

/** Build output of a deployment that is kept: the newest lines. */
export const BUILD_LINES = 2000

/**
 * The logs of all deployments, shared by every process of an installation.
 *
 * - Ordered: entries become visible in the order of their serials, whichever process appends them. Who has
 *   read up to a serial finds everything that comes later beyond it, and nothing that is new before it.
 * - Kept: what was appended outlives the death of any process; a power cut may take the last moments.
 *   Visits and application output are kept until they are pruned, of build output the newest `BUILD_LINES`
 *   lines of each deployment.
 */
export interface LogStore {
  /** All of the batch or none. An entry whose id is there already is left alone, so a batch may be repeated. */
  append(batch: readonly NewLogEntry[]): Promise<void>

  /**
   * The next entries that are meant. Looks at a bounded number of entries, so it may answer fewer than the
   * limit, even none, before the end: go on from `position` unless the page is `complete`.
   */
  read(deploymentId: string, query: LogQuery): Promise<LogPage>

  /** The entries of all deployments after this serial, in their order: a bounded number, none at the end. */
  after(serial: string, limit: number): Promise<readonly LogEntry[]>

  /**
   * The serial of the entry that this many newer ones follow, build output aside; undefined when there are not so many
   * after the serial that is given.
   */
  serialBefore(newest: number, after: string): Promise<string | undefined>

  /** Deletes entries created before this time that are no build output, the oldest, and tells how many. */
  prune(createdBefore: number, limit: number): Promise<number>

  /** Deletes everything about these deployments. May be repeated. */
  deleteFor(deploymentIds: readonly string[]): Promise<void>
}

/** The bus topic on which the id of a deployment tells that its log has grown. */
export const LOGS_TOPIC = 'logs'
