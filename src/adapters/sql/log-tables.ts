import type { Kysely } from 'kysely'
import type { LogSource, LogType } from '#contract/api/log.ts'

export interface LogTables {
  readonly log_entries: LogEntryTable
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
}
