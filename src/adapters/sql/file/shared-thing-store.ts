import { deploymentOf, type SharedKind, type SharedThingStore } from '#core/shared/shared-thing-store.ts'
import { atomically } from '../database/transaction.ts'
import { holdDeployment } from '../deployment/hold-deployment.ts'
import type { Db } from '../tables.ts'

/** Rows that are written with one statement. */
const STEP = 1000

/** All of a kind, inside the caller's transaction. */
export async function removeThings(tx: Db, kind: SharedKind): Promise<void> {
  await tx.deleteFrom('shared_contents').where('kind', '=', kind).execute()
  await tx.deleteFrom('shared_things').where('kind', '=', kind).execute()
}

/** The first text that is after every one that begins like this. */
const afterAll = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)

export function createSharedThingStore(db: Db): SharedThingStore {
  const rowOf = (kind: SharedKind, name: string) =>
    db
      .selectFrom('shared_things')
      .select(['version', 'details'])
      .where('kind', '=', kind)
      .where('name', '=', name)
      .executeTakeFirst()

  const sized = (kind: SharedKind) =>
    db
      .selectFrom('shared_things')
      .select([
        'shared_things.name',
        ({ selectFrom }) =>
          selectFrom('shared_contents')
            .select(({ fn }) => fn.sum<number>('size').as('bytes'))
            .whereRef('shared_contents.kind', '=', 'shared_things.kind')
            .whereRef('shared_contents.name', '=', 'shared_things.name')
            .as('bytes'),
      ])
      .where('shared_things.kind', '=', kind)

  const version = async (kind: SharedKind, name: string) => (await rowOf(kind, name))?.version ?? 0

  return {
    version,

    async find(kind, name) {
      for (;;) {
        const row = await rowOf(kind, name)
        if (!row) return undefined
        const contents = await db
          .selectFrom('shared_contents')
          .select(['path', 'sha256', 'size'])
          .where('kind', '=', kind)
          .where('name', '=', name)
          .orderBy('path')
          .execute()
        // Where it was replaced between the two looks, they do not belong together.
        if ((await version(kind, name)) !== row.version) continue
        return {
          version: row.version,
          details: row.details,
          contents: new Map(contents.map(({ path, sha256, size }) => [path, { sha256, size }])),
        }
      }
    },

    put: (kind, name, after, { details, contents }, usedAt) =>
      atomically(db, async (tx) => {
        const owner = deploymentOf(kind)
        if (owner !== undefined && !(await holdDeployment(tx, owner))) return false
        const version = after + 1
        const made =
          after === 0
            ? (
                await tx
                  .insertInto('shared_things')
                  .values({ kind, name, version, details, used_at: usedAt })
                  .onConflict((conflict) => conflict.columns(['kind', 'name']).doNothing())
                  .executeTakeFirst()
              ).numInsertedOrUpdatedRows
            : (
                await tx
                  .updateTable('shared_things')
                  .set({ version, details, used_at: usedAt })
                  .where('kind', '=', kind)
                  .where('name', '=', name)
                  .where('version', '=', after)
                  .executeTakeFirst()
              ).numUpdatedRows
        if (made !== 1n) return false
        await tx.deleteFrom('shared_contents').where('kind', '=', kind).where('name', '=', name).execute()
        const rows = [...contents].map(([path, { sha256, size }]) => ({
          ...{ kind, name, path, sha256, size },
        }))
        for (let at = 0; at < rows.length; at += STEP)
          await tx
            .insertInto('shared_contents')
            .values(rows.slice(at, at + STEP))
            .execute()
        return true
      }),

    remove: (kind, name) =>
      atomically(db, async (tx) => {
        await tx.deleteFrom('shared_contents').where('kind', '=', kind).where('name', '=', name).execute()
        await tx.deleteFrom('shared_things').where('kind', '=', kind).where('name', '=', name).execute()
      }),

    removeAll: (kind) => atomically(db, (tx) => removeThings(tx, kind)),

    async names(kind) {
      const rows = await db
        .selectFrom('shared_things')
        .select('name')
        .where('kind', '=', kind)
        .orderBy('name')
        .execute()
      return rows.map(({ name }) => name)
    },

    async unused(kind, before, limit) {
      const rows = await db
        .selectFrom('shared_things')
        .select('name')
        .where('kind', '=', kind)
        .where('used_at', '<', before)
        .orderBy('used_at')
        .limit(limit)
        .execute()
      return rows.map(({ name }) => name)
    },

    async under(kind, prefix) {
      const rows = await sized(kind)
        .select('used_at')
        .where('shared_things.name', '>=', prefix)
        .where('shared_things.name', '<', afterAll(prefix))
        .execute()
      return rows
        .toSorted((a, b) => b.used_at - a.used_at)
        .map(({ name, bytes }) => ({ name, bytes: Number(bytes ?? 0) }))
    },

    async newest(kind, limit) {
      const rows = await sized(kind).orderBy('used_at', 'desc').limit(limit).execute()
      return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes ?? 0) }))
    },
  }
}
