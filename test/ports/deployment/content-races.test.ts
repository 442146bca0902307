import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { HOUR, MINUTE } from '#contract/time.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { clockOf } from '#test/support/clock.ts'
import { eachDatabase, onPostgres } from '#test/support/database/databases.ts'
import { startFlakyProxy } from '#test/support/storage/flaky-proxy.ts'
import { type SharedS3, shareS3, withoutS3 } from '#test/support/storage/s3.ts'
import { openS3Storage } from '#test/support/storage/s3-storage.ts'

const ROUNDS = 8
const SMALL = 3_000
const LARGE = 70_000

const shuffled = <T>(items: readonly T[]): readonly T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)

describe('contents in an object store that are collected while they are put again', {
  skip: withoutS3,
}, () => {
  let server: SharedS3
  before(async () => {
    server = await shareS3()
  })
  after(() => server.stop())

  eachDatabase((database, open) => {
    it(`${database}: are there once they were put, and no object is left that nobody needs`, async (t) => {
      const proxy = await startFlakyProxy(server.endpoint, () => 'pass')
      const makeBucket = async (prefix?: string) =>
        (await server.makeBucket(prefix)).replace(
          encodeURIComponent(server.endpoint),
          encodeURIComponent(proxy.url),
        )
      const storage = await openS3Storage({ makeBucket }, open)
      const opened: BlobStore[] = []
      t.after(async () => {
        await Promise.all(opened.map((store) => store.close()))
        await storage.remove()
        await proxy.close()
      })
      let now = 1_700_000_000_000
      const machine = async () => {
        const store = await storage.open(clockOf(() => now))
        opened.push(store)
        return store
      }
      const [one, two, collecting] = [await machine(), await machine(), await machine()]
      const contents = Array.from({ length: 16 }, (_, n) => randomBytes((n % 2 === 0 ? SMALL : LARGE) + n))
      const names = contents.map((bytes) => hash('sha256', bytes))
      const seen = { collected: 0, removed: 0 }

      for (let round = 0; round < ROUNDS; round += 1) {
        now += 2 * HOUR
        const start = now
        let underWay = true
        /** What was put in earlier rounds may go. Objects that become unused are removed while the round lasts. */
        const collect = async () => {
          while (underWay) {
            now = Math.min(now + 11 * MINUTE, start + 50 * MINUTE)
            const some = shuffled(names).slice(0, 4)
            seen.collected += await collecting.delete(some, { notPutSince: now - HOUR })
          }
        }
        const put = async (store: BlobStore) => {
          for (const bytes of shuffled(contents)) await store.putBytes(bytes)
        }
        const from = proxy.seen.length
        const collected = collect()
        await Promise.all([put(one), put(two)]).finally(() => {
          underWay = false
        })
        seen.removed += proxy.seen.slice(from).filter((on) => on.startsWith('DELETE')).length
        await collected
        // Has no copies.
        const reader = await machine()
        for (const [n, name] of names.entries())
          assert.ok(
            (await reader.read(name))?.equals(contents[n] as Buffer),
            `content ${n} in round ${round}`,
          )
      }

      assert.ok(seen.collected > 0 && seen.removed > 0, JSON.stringify(seen))
      t.diagnostic(JSON.stringify(seen))
      now += 2 * HOUR
      await collecting.delete(names)
      now += HOUR
      await collecting.delete([])
      assert.deepEqual([await storage.strays(), await storage.client.list('')], [[], ['installation']])
    })
  })

  onPostgres((database, open) => {
    it(`${database}: are put anew where a removal of them has begun`, async (t) => {
      const storage = await openS3Storage(server, open)
      const stores = await Promise.all([1, 2, 3].map(() => storage.open(systemClock)))
      t.after(async () => {
        await Promise.all(stores.map((store) => store.close()))
        await storage.remove()
      })
      const [one, two, reader] = stores as [BlobStore, BlobStore, BlobStore]
      const bytes = randomBytes(LARGE)
      const { sha256 } = await one.putBytes(bytes)
      const { db } = storage.database
      const removal = await db.startTransaction().execute()
      await removal.deleteFrom('contents').where('sha256', '=', sha256).execute()
      const put = two.putBytes(bytes)
      const isWaiting = async () => {
        const { rows } = await sql`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
        return rows.length > 0
      }
      while (!(await isWaiting())) await pause(5)
      await removal.commit().execute()
      await put
      assert.ok((await reader.read(sha256))?.equals(bytes))
    })
  })
})
