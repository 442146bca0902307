import type { TrafficTarget } from '#contract/api/analytics.ts'
import type { LogType } from '#contract/api/log.ts'
import type { LogLevel, ProjectLogSource, ProjectLogType } from '#contract/api/project-log.ts'
import type { NewRecord } from './log-block.ts'
import type { LogEntry } from './log-entry.ts'

/** Which entries of a log are meant. */
export interface LogFilter {
  /** Serials between these two, both exclusive. */
  readonly after?: string | undefined
  readonly before?: string | undefined
  readonly types?: readonly LogType[] | undefined
  /** Only entries whose text contains this, letter for letter. */
  readonly text?: string | undefined
  readonly name?: string | undefined
  /** Only the output of builds. */
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

/** Statuses, both inclusive. */
export interface StatusRange {
  readonly from: number
  readonly to: number
}

/** Which entries of a project are meant. */
export interface ProjectLogFilter {
  /** Serials between these two, both exclusive. */
  readonly after?: string | undefined
  readonly before?: string | undefined
  /** One of the deployments of the project. */
  readonly deploymentId?: string | undefined
  readonly target?: TrafficTarget | undefined
  readonly types?: readonly ProjectLogType[] | undefined
  readonly levels?: readonly LogLevel[] | undefined
  readonly sources?: readonly ProjectLogSource[] | undefined
  readonly statuses?: readonly StatusRange[] | undefined
  readonly method?: string | undefined
  /** What the path of a visit begins with, or contains anywhere. */
  readonly path?: { readonly text: string; readonly anywhere: boolean } | undefined
  readonly host?: string | undefined
  readonly requestId?: string | undefined
  /** Held by the entry's text, letter for letter. */
  readonly text?: string | undefined
}

export interface ProjectLogQuery extends ProjectLogFilter {
  /** `backward` is the newest first. */
  readonly direction: LogQuery['direction']
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
  /** All of the batch or none. What is there already is left alone, so the same batch may be repeated. */
  append(batch: readonly NewRecord[]): Promise<void>

  /**
   * The next entries that are meant. Looks at a bounded number of entries, so it may answer fewer than the
   * limit, even none, before the end: go on from `position` unless the page is `complete`.
   */
  read(deploymentId: string, query: LogQuery): Promise<LogPage>

  /**
   * The same of what people look for in a project: the answers to its visits and what its programs wrote. What was
   * written before entries had a project is found by its deployment alone.
   */
  readProject(projectId: string, query: ProjectLogQuery): Promise<LogPage>

  /** The entries of all deployments after this serial, in their order: a bounded number, none at the end. */
  after(serial: string, limit: number): Promise<readonly LogEntry[]>

  /**
   * The serial of the entry that this many newer ones follow, build output aside; undefined when there are not so many
   * after the serial that is given.
   */
  serialBefore(newest: number, after: string): Promise<string | undefined>

  /**
   * Where each day has a table of its own: drops those of days that were over before the second time, and makes those of
   * the next days. Build output is not in them.
   */
  rotate(now: number, createdBefore: number): Promise<void>

  /**
   * Deletes what was created before this time, the oldest first, build output and days with a table of their own aside.
   * At most this many rows, of one entry or of a moment's; tells how many.
   */
  prune(createdBefore: number, limit: number): Promise<number>

  /** Deletes the oldest, build output aside, however old it is and wherever it is. */
  deleteOldest(limit: number): Promise<number>

  /** What the log takes on the disk, roughly. */
  bytes(): Promise<number>

  /**
   * What of that is no log of requests and functions, more roughly: build output, and counts of visits where they are in the same
   * place. It is counted row by row, so not to be asked for all the time.
   */
  otherBytes(): Promise<number>

  /** Gives what deletions made free back to the disk, a part of it; tells whether there is more. */
  giveBack(): Promise<boolean>

  /** Deletes everything about these deployments. May be repeated. */
  deleteFor(deploymentIds: readonly string[]): Promise<void>
}

/** The bus topic on which the id of a deployment or of a project tells that its log has grown. */
export const LOGS_TOPIC = 'logs'
