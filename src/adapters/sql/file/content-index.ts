import { sql } from 'kysely'
import { AloftError } from '#contract/errors.ts'
import { type ContentIndex, type PlacedContent, RECORD_OVERHEAD } from '../../blob-s3/content-index.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { greater } from '../database/dialect/expressions.ts'
import { numberAt, rowsIn, textAt, textsWithKeys } from '../database/json-rows.ts'
import { atomically } from '../database/transaction.ts'
import type { Db } from '../tables.ts'

/** Packs that are small, or less than half in use, are put together with others; as the index for them says it. */
const IS_WASTEFUL = sql<boolean>`state = 'ready' and key like 'packs/%' and case when size < 1048576 then true else live * 2 < size end`

const COLUMNS = ['sha256', 'object', 'start', 'size', 'put_at'] as const

interface Row {
  readonly sha256: string
  readonly object: string
  readonly start: number
  readonly size: number
  readonly put_at: number
}

const toContent = ({ put_at, ...row }: Row): PlacedContent => ({ ...row, putAt: put_at })

/** In one order, so that two transactions with some contents in common wait for each other and never both. */
const inOrder = (sha256s: readonly string[]): string => JSON.stringify([...new Set(sha256s)].sort())

const weightOf = ({ size }: { readonly size: number }): number => size + RECORD_OVERHEAD

export function createContentIndex(db: Db): ContentIndex {
  const given = (tx: Db, json: string) => tx.selectFrom(textsWithKeys(tx, json)).select('given.value')
  const latest = (putAt: number) => greater(db, sql`put_at`, sql`${putAt}`)

  /** Takes what has left an object off it. */
  async function lighten(tx: Db, key: string, weight: number, at: number): Promise<void> {
    await tx
      .updateTable('content_objects')
      .set(({ eb, ref }) => ({ live: eb(ref('live'), '-', weight) }))
      .where('key', '=', key)
      .execute()
    await tx
      .updateTable('content_objects')
      .set({ state: sql`case state when 'suspect' then state else 'unused' end`, since: at })
      .where('key', '=', key)
      .where('live', '<=', 0)
      .execute()
  }

  /** Held until the contents that are put into it are noted: one that was forgotten may be removed at any time. */
  async function holdObject(tx: Db, key: string): Promise<void> {
    const found = await tx
      .selectFrom('content_objects')
      .select('key')
      .where('key', '=', key)
      .$if(locksRows(tx), (query) => query.forUpdate())
      .executeTakeFirst()
    if (found === undefined)
      throw new AloftError(
        'service_unavailable',
        'The upload of file contents took too long. Try again later.',
      )
  }

  return {
    async touch(sha256s, putAt) {
      if (sha256s.length === 0) return new Set()
      const rows = await atomically(db, async (tx) => {
        const there = await tx
          .selectFrom('contents')
          .select('sha256')
          .where('sha256', 'in', given(tx, inOrder(sha256s)))
          .orderBy('sha256')
          .$if(locksRows(tx), (query) => query.forUpdate())
          .execute()
        if (there.length > 0)
          await tx
            .updateTable('contents')
            .set({ put_at: latest(putAt) })
            .where('sha256', 'in', given(tx, inOrder(there.map(({ sha256 }) => sha256))))
            .execute()
        return there
      })
      return new Set(rows.map(({ sha256 }) => sha256))
    },

    async noteUpload(key, at) {
      await db
        .insertInto('content_objects')
        .values({ key, size: 0, live: 0, state: 'uploading', since: at })
        .execute()
    },

    add: (object, contents) =>
      atomically(db, async (tx) => {
        await holdObject(tx, object.key)
        const sorted = [...contents].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
        const json = JSON.stringify(
          sorted.map(({ sha256, start, size, putAt }) => [sha256, start, size, putAt]),
        )
        const rows = await tx
          .insertInto('contents')
          .columns(COLUMNS)
          .expression((eb) =>
            eb
              .selectFrom(rowsIn(tx, json))
              .select([
                textAt(0).as('sha256'),
                sql<string>`cast(${object.key} as text)`.as('object'),
                numberAt(1).as('start'),
                numberAt(2).as('size'),
                numberAt(3).as('put_at'),
              ])
              // Without a condition SQLite takes the words that follow for those of a join.
              .where(eb.lit(true)),
          )
          .onConflict((conflict) =>
            conflict.column('sha256').doUpdateSet({
              put_at: greater(tx, sql`contents.put_at`, sql`excluded.put_at`),
            }),
          )
          .returning(['object', 'size'])
          .execute()
        const own = rows.filter((row) => row.object === object.key)
        const live = own.reduce((sum, row) => sum + weightOf(row), 0)
        await tx
          .updateTable('content_objects')
          .set({ size: object.size, live, state: live > 0 ? 'ready' : 'unused' })
          .where('key', '=', object.key)
          .execute()
        return own.length
      }),

    async find(sha256s) {
      if (sha256s.length === 0) return []
      const rows = await db
        .selectFrom('contents')
        .select(COLUMNS)
        .where('sha256', 'in', given(db, inOrder(sha256s)))
        .execute()
      return rows.map(toContent)
    },

    async page(after, limit) {
      const rows = await db
        .selectFrom('contents')
        .select(COLUMNS)
        .where('sha256', '>', after)
        .orderBy('sha256')
        .limit(limit)
        .execute()
      return rows.map(({ sha256, size, put_at }) => ({ sha256, size, putAt: put_at }))
    },

    remove: (sha256s, notPutSince, at) =>
      atomically(db, async (tx) => {
        if (locksRows(tx))
          await tx
            .selectFrom('contents')
            .select('sha256')
            .where('sha256', 'in', given(tx, inOrder(sha256s)))
            .orderBy('sha256')
            .forUpdate()
            .execute()
        let query = tx.deleteFrom('contents').where('sha256', 'in', given(tx, inOrder(sha256s)))
        if (Number.isFinite(notPutSince)) query = query.where('put_at', '<', notPutSince)
        const gone = await query.returning(['sha256', 'object', 'size']).execute()
        const objects = [...Map.groupBy(gone, ({ object }) => object)].sort(([a], [b]) => (a < b ? -1 : 1))
        for (const [key, rows] of objects)
          await lighten(
            tx,
            key,
            rows.reduce((sum, row) => sum + weightOf(row), 0),
            at,
          )
        return gone.map(({ sha256 }) => sha256)
      }),

    removeAt: ({ sha256, object, start }, at) =>
      atomically(db, async (tx) => {
        const gone = await tx
          .deleteFrom('contents')
          .where('sha256', '=', sha256)
          .where('object', '=', object)
          .where('start', '=', start)
          .returning('size')
          .executeTakeFirst()
        if (gone === undefined) return false
        await tx
          .updateTable('content_objects')
          .set({ state: 'suspect', since: at })
          .where('key', '=', object)
          .execute()
        await lighten(tx, object, weightOf(gone), at)
        return true
      }),

    async wasteful(limit) {
      const rows = await db
        .selectFrom('content_objects')
        .select(['key', 'size'])
        .where(IS_WASTEFUL)
        .orderBy('live')
        .limit(limit)
        .execute()
      return rows
    },

    async contentsOf(key) {
      const rows = await db.selectFrom('contents').select(COLUMNS).where('object', '=', key).execute()
      return rows.map(toContent)
    },

    move: (from, object, contents, at) =>
      atomically(db, async (tx) => {
        await holdObject(tx, object.key)
        const json = JSON.stringify(contents.map(({ sha256, start }) => [sha256, start]))
        const rows = await tx
          .updateTable('contents')
          .from(rowsIn(tx, json))
          .set({ object: object.key, start: numberAt(1) })
          .where('contents.sha256', '=', textAt(0))
          .where('contents.object', '=', from)
          .returning('contents.size')
          .execute()
        const moved = rows.reduce((sum, row) => sum + weightOf(row), 0)
        await tx
          .updateTable('content_objects')
          .set(({ eb, ref }) => ({ size: object.size, live: eb(ref('live'), '+', moved) }))
          .where('key', '=', object.key)
          .execute()
        await tx
          .updateTable('content_objects')
          .set({ state: 'ready' })
          .where('key', '=', object.key)
          .where('live', '>', 0)
          .where('state', '!=', 'suspect')
          .execute()
        await lighten(tx, from, moved, at)
      }),

    async removable(unusedBefore, begunBefore, suspectBefore, limit) {
      const rows = await db
        .selectFrom('content_objects')
        .select('key')
        // The condition of the index.
        .where('state', '!=', sql.lit('ready'))
        .where(({ eb, or, and }) =>
          or([
            and([eb('state', '=', sql.lit('unused')), eb('since', '<', unusedBefore)]),
            and([eb('state', '=', sql.lit('uploading')), eb('since', '<', begunBefore)]),
            and([
              eb('state', '=', sql.lit('suspect')),
              eb('since', '<', suspectBefore),
              eb('live', '<=', sql.lit(0)),
            ]),
          ]),
        )
        .limit(limit)
        .execute()
      return rows.map(({ key }) => key)
    },

    async bytes() {
      const { bytes } = await db
        .selectFrom('content_objects')
        .select(({ fn }) => fn.sum<number | null>('size').as('bytes'))
        .executeTakeFirstOrThrow()
      return Number(bytes ?? 0)
    },

    async forget(key) {
      await db.deleteFrom('content_objects').where('key', '=', key).where('state', '!=', 'ready').execute()
    },
  }
}
