import { type Selectable, sql } from 'kysely'
import { type Domain, heldNames, isVerified } from '#core/domain/domain.ts'
import type { DomainStore } from '#core/domain/domain-store.ts'
import { countZoneChange } from '../change/zone-changes.ts'
import { changedOne } from '../database/changed-one.ts'
import { flag } from '../database/columns.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { newestFirst, type PageRange, readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { textsIn } from '../database/text-list.ts'
import { atomically } from '../database/transaction.ts'
import { unlessTaken } from '../database/unless-taken.ts'
import type { Db, DomainTable } from '../tables.ts'

export const DOMAIN = ['id', 'owner_id', 'name', 'verified', 'details', 'checked_at', 'created_at'] as const

/** A domain that was never looked up comes first among those that are looked up again. */
const NEVER = 0

/** What has no column of its own. */
type Details = Omit<Domain, 'id' | 'ownerId' | 'name' | 'checkedAt' | 'createdAt'>

export const toDomain = (row: Selectable<DomainTable>): Domain => ({
  ...(JSON.parse(row.details) as Details),
  id: row.id,
  ownerId: row.owner_id,
  name: row.name,
  checkedAt: row.checked_at === NEVER ? null : row.checked_at,
  createdAt: row.created_at,
})

function fromDomain(domain: Domain): Selectable<DomainTable> {
  const { id, ownerId, name, checkedAt, createdAt, ...details } = domain
  return {
    id,
    owner_id: ownerId,
    name,
    verified: flag(isVerified(domain)),
    details: JSON.stringify(details satisfies Details),
    checked_at: checkedAt ?? NEVER,
    created_at: createdAt,
  }
}

const selectByName = prepare<{ ownerId: string; name: string }>()((db, { ownerId, name }) =>
  db.selectFrom('domains').select(DOMAIN).where('name', '=', name).where('owner_id', '=', ownerId),
)
const selectCovering = prepare<{ ownerId: string; names: string }>()((db, { ownerId, names }) =>
  db
    .selectFrom('domains')
    .select(DOMAIN)
    .where('name', 'in', textsIn(db, names))
    .where('owner_id', '=', ownerId),
)
const selectVerified = prepare<{ names: string }>()((db, { names }) =>
  db
    .selectFrom('domains')
    .select(DOMAIN)
    .where('name', 'in', textsIn(db, names))
    .where('verified', '=', sql.lit(1)),
)
const selectHeld = prepare<{ names: string }>()((db, { names }) =>
  db
    .selectFrom('domains')
    .select('id')
    .where('name', 'in', textsIn(db, names))
    .$if(locksRows(db), (query) => query.forKeyShare()),
)
const selectOf = prepare<{ ownerId: string } & PageRange>()((db, range) =>
  newestFirst(db.selectFrom('domains').select(DOMAIN).where('owner_id', '=', range.ownerId), range),
)
const selectUnverified = prepare<{ checkedBefore: number; createdAfter: number; limit: number }>()(
  (db, { checkedBefore, createdAfter, limit }) =>
    db
      .selectFrom('domains')
      .select(DOMAIN)
      .where('verified', '=', sql.lit(0))
      .where('checked_at', '<', checkedBefore)
      .where('created_at', '>', createdAfter)
      .orderBy('checked_at')
      .orderBy('created_at')
      .limit(limit),
)
const selectChecked = prepare<{ checkedBefore: number; limit: number }>()((db, { checkedBefore, limit }) =>
  db
    .selectFrom('domains')
    .select(DOMAIN)
    .where('verified', '=', sql.lit(1))
    .where('checked_at', '<', checkedBefore)
    .orderBy('checked_at')
    .orderBy('id')
    .limit(limit),
)

const longest = (rows: readonly Selectable<DomainTable>[]): Domain | undefined => {
  const [row] = rows.toSorted((a, b) => b.name.length - a.name.length)
  return row && toDomain(row)
}

export function createDomainStore(db: Db): DomainStore {
  /**
   * The row as it is. Until the transaction ends nobody else changes it, nor any of the same name: those
   * who race for a name take their locks in one order.
   */
  async function lock(tx: Db, id: string): Promise<Domain | undefined> {
    const rows = await tx
      .selectFrom('domains')
      .select(DOMAIN)
      .where('name', '=', (eb) => eb.selectFrom('domains').select('name').where('id', '=', id))
      .orderBy('owner_id')
      .$if(locksRows(tx), (query) => query.forUpdate())
      .execute()
    const row = rows.find((one) => one.id === id)
    return row && toDomain(row)
  }

  return {
    add: (domain) =>
      atomically(db, async (tx) => {
        const [taken] = await selectVerified(tx, { names: JSON.stringify([domain.name]) })
        if (taken) return false
        return changedOne(
          tx
            .insertInto('domains')
            .values(fromDomain(domain))
            .onConflict((conflict) => conflict.doNothing()),
        )
      }),

    async find(ownerId, name) {
      const [row] = await selectByName(db, { ownerId, name })
      return row && toDomain(row)
    },

    covering: async (ownerId, host) =>
      longest(await selectCovering(db, { ownerId, names: JSON.stringify(heldNames(host)) })),

    verifiedCovering: async (host) =>
      longest(await selectVerified(db, { names: JSON.stringify(heldNames(host)) })),

    hold: async (host) => void (await selectHeld(db, { names: JSON.stringify(heldNames(host)) })),

    lock: (id) =>
      atomically(db, async (tx) => {
        const present = await tx.selectFrom('domains').select('name').where('id', '=', id).executeTakeFirst()
        if (!present) return undefined
        // Before anything else, as everybody does who changes its records.
        await countZoneChange(tx, present.name)
        return lock(tx, id)
      }),

    list: (ownerId, page) =>
      readPage(page, {
        select: (range) => selectOf(db, { ownerId, ...range }),
        timeOf: (row) => row.created_at,
        show: toDomain,
      }),

    update: (id, change) =>
      atomically(db, async (tx) => {
        const found = await lock(tx, id)
        if (!found) return false
        const { verified, details, checked_at } = fromDomain({ ...found, ...change })
        return unlessTaken(tx, (inner) =>
          inner.updateTable('domains').set({ verified, details, checked_at }).where('id', '=', id).execute(),
        )
      }),

    async removeOthers(name, keptId) {
      const rows = await db
        .deleteFrom('domains')
        .where('name', '=', name)
        .where('id', '!=', keptId)
        .returning(DOMAIN)
        .execute()
      return rows.map(toDomain)
    },

    remove: (id) =>
      atomically(db, async (tx) => {
        // Before anything else, as everybody does who changes its records.
        const present = await tx.selectFrom('domains').select('name').where('id', '=', id).executeTakeFirst()
        if (!present) return false
        await countZoneChange(tx, present.name)
        return changedOne(tx.deleteFrom('domains').where('id', '=', id))
      }),

    unverified: async (checkedBefore, createdAfter, limit) =>
      (await selectUnverified(db, { checkedBefore, createdAfter, limit })).map(toDomain),

    verified: async (checkedBefore, limit) =>
      (await selectChecked(db, { checkedBefore, limit })).map(toDomain),

    async touch(ids, checkedAt) {
      if (ids.length === 0) return
      await db
        .updateTable('domains')
        .set({ checked_at: checkedAt })
        .where('id', 'in', textsIn(db, JSON.stringify(ids)))
        .execute()
    },
  }
}
