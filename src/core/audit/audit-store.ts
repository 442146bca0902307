import type { Page, PageQuery } from '#contract/page.ts'
import type { AuditEntry } from './audit.ts'

export interface AuditFilter {
  readonly userId?: string | undefined
  /** How the action begins. */
  readonly action?: string | undefined
}

/** Who changed what. Entries are added and forgotten, never changed. */
export interface AuditStore {
  add(entry: AuditEntry): Promise<void>
  /** Of an account, newest first. */
  list(ownerId: string, page: PageQuery, filter: AuditFilter): Promise<Page<AuditEntry>>
  /** Forgets what is older. Answers how many went. */
  prune(before: number, limit: number): Promise<number>
}
