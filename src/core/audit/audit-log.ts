import { AloftError } from '#contract/errors.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import type { User } from '../user/user.ts'
import type { UserStore } from '../user/user-store.ts'
import type { AuditEntry } from './audit.ts'
import type { AuditFilter, AuditStore } from './audit-store.ts'

/** An entry with the people in it; undefined when they are gone. */
export interface KnownEntry {
  readonly entry: AuditEntry
  readonly user: User | undefined
  /** Whose role or membership was changed: they may have left the account since. */
  readonly member: User | undefined
}

export interface AuditLog {
  /** Of the account, for those who answer for it. */
  list(ctx: Context, page: PageQuery, filter: AuditFilter): Promise<Page<KnownEntry>>
}

interface AuditParts {
  readonly store: Pick<AuditStore, 'list'>
  readonly users: Pick<UserStore, 'byId'>
}

export const createAuditLog = ({ store, users }: AuditParts): AuditLog => ({
  async list({ owner }, page, filter) {
    if (owner.role !== 'OWNER')
      throw new AloftError('forbidden', 'Only OWNERs of a team can read its audit log.')
    const { items, pagination } = await store.list(owner.id, page, filter)
    const people = new Map<string, User | undefined>()
    for (const id of items.flatMap(({ userId, target }) => [userId, target.userId ?? userId]))
      if (!people.has(id)) people.set(id, await users.byId(id))
    return {
      items: items.map((entry) => ({
        entry,
        user: people.get(entry.userId),
        member: people.get(entry.target.userId ?? ''),
      })),
      pagination,
    }
  },
})
