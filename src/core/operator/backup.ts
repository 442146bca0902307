import type { Readable } from 'node:stream'
import type { BackupRows } from '#contract/backup/backup.ts'

/** Everything that the databases held at one moment, row by row. */
export interface TableSource {
  readonly kind: 'sqlite' | 'postgresql'
  /**
   * Hands over every row of every table, each as one line of JSON, tables that others refer to first. All of it is
   * as it was at one moment, whatever is written meanwhile. Lines come in groups; the next one waits for the call.
   */
  rows(schema: 'main' | 'logs', take: TakeRows): Promise<BackupRows>
}

export interface TakeRows {
  rows(table: string, lines: readonly string[]): Promise<void>
  /** The names of contents that the rows refer to, each once. */
  blobs(sha256s: readonly string[]): Promise<void>
}

export interface BackupOptions {
  /** With the logs of deployments. */
  readonly logs: boolean
  /** With the master key. */
  readonly key: boolean
}

interface Backup {
  /** A proposal. */
  readonly fileName: string
  /** How many bytes it will have, unless contents are deleted meanwhile. */
  readonly bytes: number
  /** The archive, made while it is read. Destroying it lets go of everything. */
  readonly content: Readable
}

export interface Backups {
  /** One at a time on a machine: throws `conflict` while another one is being made. */
  make(request: BackupOptions): Promise<Backup>
}
