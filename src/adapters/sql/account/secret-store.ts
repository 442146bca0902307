import type { Selectable } from 'kysely'
import type { Secret } from '#core/secret/secret.ts'
import type { SealedSecret, SecretStore } from '#core/secret/secret-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { newestFirst, type PageRange, readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { textsIn } from '../database/text-list.ts'
import { unlessTaken } from '../database/unless-taken.ts'
import type { Db, SecretTable } from '../tables.ts'

const SECRET = ['id', 'owner_id', 'name', 'creator_id', 'created_at'] as const

const toSecret = (row: Omit<Selectable<SecretTable>, 'sealed'>): Secret => ({
  id: row.id,
  ownerId: row.owner_id,
  name: row.name,
  creatorId: row.creator_id,
  createdAt: row.created_at,
})

const selectByName = prepare<{ ownerId: string; name: string }>()((db, { ownerId, name }) =>
  db.selectFrom('secrets').select(SECRET).where('owner_id', '=', ownerId).where('name', '=', name),
)
const selectSecretsOf = prepare<{ ownerId: string } & PageRange>()((db, range) =>
  newestFirst(db.selectFrom('secrets').select(SECRET).where('owner_id', '=', range.ownerId), range),
)

/** The value of another account's secret is not even read. */
const selectReferences = prepare<{ ownerId: string; references: string }>()((db, { ownerId, references }) =>
  db
    .selectFrom('secrets')
    .select('id as reference')
    .select((eb) => [
      'id',
      eb.case().when('owner_id', '=', ownerId).then(eb.ref('sealed')).end().as('sealed'),
    ])
    .where('id', 'in', textsIn(db, references))
    .unionAll(
      db
        .selectFrom('secrets')
        .select(['name as reference', 'id', 'sealed'])
        .where('owner_id', '=', ownerId)
        .where('name', 'in', textsIn(db, references)),
    ),
)

const selectNames = prepare<{ ownerId: string; ids: string }>()((db, { ownerId, ids }) =>
  db
    .selectFrom('secrets')
    .select(['id', 'name'])
    .where('id', 'in', textsIn(db, ids))
    .where('owner_id', '=', ownerId),
)

interface Reference {
  readonly reference: string
  readonly id: string
  readonly sealed: string | null
}

const strength = ({ reference, id, sealed }: Reference): number =>
  sealed === null ? 0 : reference === id ? 2 : 1

export function createSecretStore(db: Db): SecretStore {
  return {
    async insert(secret, sealed) {
      return changedOne(
        db
          .insertInto('secrets')
          .values({
            id: secret.id,
            owner_id: secret.ownerId,
            name: secret.name,
            sealed,
            creator_id: secret.creatorId,
            created_at: secret.createdAt,
          })
          .onConflict((conflict) => conflict.columns(['owner_id', 'name']).doNothing()),
      )
    },

    async byName(ownerId, name) {
      const [row] = await selectByName(db, { ownerId, name })
      return row && toSecret(row)
    },

    list: (ownerId, page) =>
      readPage(page, {
        select: (range) => selectSecretsOf(db, { ownerId, ...range }),
        timeOf: (row) => row.created_at,
        show: toSecret,
      }),

    async lock(ownerId, by) {
      // Writing what is there already is a lock that every database knows.
      const rows = db
        .updateTable('secrets')
        .set((eb) => ({ name: eb.ref('name') }))
        .where('owner_id', '=', ownerId)
      const row = await ('id' in by ? rows.where('id', '=', by.id) : rows.where('name', '=', by.name))
        .returning(SECRET)
        .executeTakeFirst()
      return row && toSecret(row)
    },

    rename: (ownerId, id, name) =>
      unlessTaken(db, (tx) =>
        tx
          .updateTable('secrets')
          .set({ name })
          .where('id', '=', id)
          .where('owner_id', '=', ownerId)
          .execute(),
      ),

    async delete(ownerId, id) {
      await db.deleteFrom('secrets').where('id', '=', id).where('owner_id', '=', ownerId).execute()
    },

    async names(ownerId, ids) {
      if (ids.length === 0) return new Map()
      const rows = await selectNames(db, { ownerId, ids: JSON.stringify(ids) })
      return new Map(rows.map(({ id, name }) => [id, name]))
    },

    async resolve(ownerId, references) {
      const found = new Map<string, SealedSecret | 'foreign'>()
      if (references.length === 0) return found
      const rows = await selectReferences(db, { ownerId, references: JSON.stringify(references) })
      for (const row of rows.toSorted((a, b) => strength(a) - strength(b)))
        found.set(row.reference, row.sealed === null ? 'foreign' : { id: row.id, sealed: row.sealed })
      return found
    },
  }
}
