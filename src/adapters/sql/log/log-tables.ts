import type { Kysely } from 'kysely'
import type { TrafficTarget } from '#contract/api/analytics.ts'
import type { LogSource, LogType } from '#contract/api/log.ts'
import type { Counter } from '#core/analytics/tally.ts'
import type { Step } from '#core/analytics/traffic-store.ts'

export interface LogTables {
  readonly log_entries: LogEntryTable
  readonly log_blocks: LogBlockTable
  readonly traffic: TrafficTable
  readonly traffic_paths: TrafficTable & { path: string }
}

export type LogDb = Kysely<LogTables>

interface LogEntryTable {
  /** A whole number beyond what JavaScript's hold exactly: given as text, and to be cast to text when read. */
  serial: string
  id: string
  deployment_id: string
  type: LogType
  at: number
  text: string
  info_type: LogSource
  info_name: string
  entrypoint: string
  region: string
  instance_id: string | null
  request_id: string | null
  status: number | null
  /** What else is known of a visit, as JSON. */
  request: string | null
  /** Of the answer to a visit, and of what a program wrote; null on all else, and on what was written long ago. */
  project_id: string | null
  environment: TrafficTarget | null
  /** Null for all that was not written as an error. */
  stream: 'stderr' | null
}

/** See `core/log/log-block.ts`. */
interface LogBlockTable {
  last_serial: string
  first_serial: string
  id: string
  deployment_id: string
  project_id: string | null
  entries: number
  status_from: number | null
  status_to: number | null
  has_errors: number
  /** Of the body. */
  bytes: number
  body: Uint8Array
}

interface TrafficKey {
  project_id: string
  /** Empty: of all deployments of the project. */
  deployment_id: string
  step: Step
  at: number
  target: TrafficTarget
}

type TrafficTable = TrafficKey & { [C in Counter]: number }
