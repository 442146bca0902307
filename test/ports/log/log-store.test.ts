import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { describe, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { createTrafficStore } from '#adapters/sql/log/traffic-store.ts'
import { HOUR } from '#contract/time.ts'
import { createTally } from '#core/analytics/tally.ts'
import type { LogEntry } from '#core/log/log-entry.ts'
import { BUILD_LINES, type LogFilter, type LogStore, type ProjectLogFilter } from '#core/log/log-store.ts'
import type { LoggedVisit, NewVisit } from '#core/log/logged-visit.ts'
import { sampleVisit } from '#core/log/logged-visit-testing.ts'
import { firstSerialOf, timeOfSerial } from '#core/log/serial.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { NOW, openLogs, readAll, sampleLine, sampleResponse } from '#test/support/logs.ts'
import { aboutSqlite } from '#test/support/several.ts'

const texts = (entries: readonly LogEntry[]): string[] => entries.map(({ text }) => text)
const lines = (...list: readonly string[]) => list.map((text) => sampleLine({ text }))

const many = (length: number, given: (i: number) => Parameters<typeof sampleLine>[0] = () => ({})) =>
  Array.from({ length }, (_, i) => sampleLine({ text: `${i}`, ...given(i) }))

async function appendMany(store: LogStore, entries: ReturnType<typeof many>): Promise<void> {
  for (let i = 0; i < entries.length; i += 500) await store.append(entries.slice(i, i + 500))
}

const assertIncreasing = (entries: readonly LogEntry[]): void => {
  for (const [i, { serial }] of entries.entries())
    assert.ok(i === 0 || BigInt(serial) > BigInt(entries[i - 1]?.serial ?? 0), `${serial} is not higher`)
}

eachDatabase((name, open) =>
  describe(`logs on ${name}`, () => {
    it('gives entries back as they were appended, each with a place', async (t) => {
      const { store } = await openLogs(t, open)
      const batch = [
        sampleLine({ text: 'Zoë\t"\\ 😀\u001b[31m', instanceId: 'abc' }),
        sampleResponse({ status: 404 }),
        sampleLine({ type: 'command', text: '', at: 0 }),
      ]
      await store.append(batch)
      const entries = await readAll(store)
      assert.deepEqual(
        entries.map(({ serial, createdAt, ...entry }) => ({ ...entry, takenAt: createdAt })),
        batch,
      )
      assert.deepEqual(
        entries.map(({ serial }) => serial),
        ['1700000000000000000', '1700000000000000001', '1700000000000000002'],
      )
    })

    it('reads on over all deployments, and tells what so many newer entries follow', async (t) => {
      const { store } = await openLogs(t, open)
      const [first, second] = [sampleResponse(), sampleResponse({ deploymentId: 'dpl_b' })]
      await store.append([first, second, sampleLine({ deploymentId: 'dpl_b' })])
      const all = await store.after('0', 10)
      assert.deepEqual(
        all.map(({ deploymentId }) => deploymentId),
        ['dpl_a', 'dpl_b', 'dpl_b'],
      )
      assertIncreasing(all)
      assert.deepEqual(await store.after(all[0]?.serial ?? '', 1), all.slice(1, 2))
      assert.deepEqual(await store.after(all[2]?.serial ?? '', 10), [])
      assert.equal(await store.serialBefore(0, '0'), all[1]?.serial)
      assert.equal(await store.serialBefore(1, '0'), all[0]?.serial)
      assert.equal(await store.serialBefore(2, '0'), undefined)
      assert.equal(await store.serialBefore(1, all[0]?.serial ?? ''), undefined)
    })

    it('appends nothing when there is nothing', async (t) => {
      const { store } = await openLogs(t, open)
      await store.append([])
      assert.deepEqual(await store.read('dpl_a', { direction: 'forward', limit: 10 }), {
        entries: [],
        complete: true,
      })
    })

    it('reads both ways, from a serial, up to a serial, and as many as wanted', async (t) => {
      const { store } = await openLogs(t, open)
      await store.append(lines('a', 'b', 'c', 'd', 'e'))
      const [, b, , d] = await readAll(store)
      const [after, before] = [b?.serial, d?.serial]
      const read = async (query: object) => texts(await readAll(store, query)).join('')
      assert.equal(await read({}), 'abcde')
      assert.equal(await read({ direction: 'backward' }), 'edcba')
      assert.equal(await read({ limit: 2 }), 'ab')
      assert.equal(await read({ direction: 'backward', limit: 2 }), 'ed')
      assert.equal(await read({ after }), 'cde')
      assert.equal(await read({ before }), 'abc')
      assert.equal(await read({ after, before }), 'c')
      assert.equal(await read({ after, direction: 'backward', limit: 2 }), 'ed')
      assert.equal(await read({ after: '-1' }), 'abcde')
      assert.equal(await read({ after: String(2n ** 63n - 1n) }), '')
    })

    it('keeps the logs of deployments apart', async (t) => {
      const { store } = await openLogs(t, open)
      await store.append([sampleLine({ text: 'a' }), sampleLine({ text: 'b', deploymentId: 'dpl_b' })])
      assert.deepEqual(texts(await readAll(store)), ['a'])
      assert.deepEqual(texts(await readAll(store, {}, 'dpl_b')), ['b'])
      assert.deepEqual(await readAll(store, {}, 'dpl_'), [])
    })

    it('finds the entries that every part of a filter means', async (t) => {
      const { store } = await openLogs(t, open)
      const info = { type: 'build', name: 'bld_2', entrypoint: 'x' } as const
      await store.append([
        sampleLine({ text: 'npm ci', type: 'command' }),
        sampleLine({ text: '100% of A_b' }),
        sampleLine({ text: '100 of a_b', info }),
        sampleResponse({ text: 'r200' }),
        sampleResponse({ text: 'r404', status: 404, instanceId: 'one' }),
        sampleResponse({ text: 'r499', status: 499, instanceId: 'two' }),
        sampleResponse({ text: 'r500', status: 500 }),
      ])
      const cases: readonly (readonly [LogFilter, readonly string[]])[] = [
        [{ types: ['command'] }, ['npm ci']],
        [{ types: ['command', 'stdout'] }, ['npm ci', '100% of A_b', '100 of a_b']],
        [{ types: [] }, []],
        [{ text: '100%' }, ['100% of A_b']],
        [{ text: '0% of' }, ['100% of A_b']],
        [{ text: 'a_b' }, ['100 of a_b']],
        [{ text: 'a?b' }, []],
        [{ text: 'a%' }, []],
        [{ text: "'" }, []],
        [{ name: 'bld_2' }, ['100 of a_b']],
        [{ name: 'bld_' }, []],
        [{ builds: true }, ['npm ci', '100% of A_b', '100 of a_b']],
        [{ builds: true, text: 'of' }, ['100% of A_b', '100 of a_b']],
        [{ status: { from: 404, to: 404 } }, ['r404']],
        [{ status: { from: 400, to: 499 } }, ['r404', 'r499']],
        [{ instanceId: 'two' }, ['r499']],
        [{ instanceId: 'one', status: { from: 500, to: 599 } }, []],
      ]
      for (const [filter, expected] of cases) {
        assert.deepEqual(texts(await readAll(store, filter)), expected, JSON.stringify(filter))
        assert.deepEqual(
          texts(await readAll(store, { ...filter, direction: 'backward' })),
          expected.toReversed(),
          `backward ${JSON.stringify(filter)}`,
        )
      }
    })

    it('searches a long log in pieces, and tells how far it came', async (t) => {
      const { store } = await openLogs(t, open)
      const entries = many(4100, (i) => ({
        text: i % 2050 === 2049 ? 'needle' : 'hay',
        info: { type: 'static', name: 'a', entrypoint: '' },
      }))
      await appendMany(store, entries)
      for (const direction of ['forward', 'backward'] as const) {
        // Of a number nothing can be told before entries are taken apart.
        const first = await store.read('dpl_a', { direction, text: '404', limit: 10 })
        assert.deepEqual([first.entries, first.complete], [[], false])
        assert.ok(first.position)
        assert.equal((await readAll(store, { direction, text: 'nothing' })).length, 0)
        assert.equal((await readAll(store, { direction, text: 'needle' })).length, 2)
        assert.equal((await readAll(store, { direction, text: 'hay' })).length, 4098)
        assert.equal((await readAll(store, { direction, text: 'hay', limit: 7 })).length, 7)
        assert.equal((await readAll(store, { direction })).length, 4100)
      }
      const last = (await readAll(store, { direction: 'backward', limit: 1 }))[0]
      const rest = await store.read('dpl_a', {
        direction: 'forward',
        text: 'nothing',
        after: String(BigInt(last?.serial ?? 0) - 100n),
        limit: 10,
      })
      assert.deepEqual(rest, { entries: [], position: last?.serial, complete: true })
    })

    it('gives out serials that rise with every append, whatever the clocks say', async (t) => {
      const { store, again } = await openLogs(t, open)
      const other = (await again()).store
      await store.append([sampleLine({ takenAt: NOW + 50 })])
      await other.append([sampleLine({ takenAt: NOW }), sampleLine({ takenAt: NOW + 50 })])
      await store.append([sampleLine({ takenAt: NOW + 60 }), sampleLine({ takenAt: NOW + 60 })])
      const first = firstSerialOf(NOW + 50)
      const second = firstSerialOf(NOW + 60)
      assert.deepEqual(
        (await readAll(store)).map(({ serial }) => BigInt(serial)),
        [first, first + 1n, first + 2n, second, second + 1n],
      )
    })

    it('appends all of a batch or nothing, and so a refused batch can be repeated', async (t) => {
      const { store } = await openLogs(t, open)
      const batch = lines('a', 'b')
      await assert.rejects(store.append([...batch, sampleLine({ text: 'bad \0' })]))
      assert.deepEqual(await readAll(store), [])
      await store.append(batch)
      assert.deepEqual(texts(await readAll(store)), ['a', 'b'])
    })

    it('leaves an entry alone that is there already', async (t) => {
      const { store } = await openLogs(t, open)
      const batch = many(30)
      await store.append(batch)
      await store.append([...batch, sampleLine({ text: 'new' })])
      assert.deepEqual(texts(await readAll(store)), [...texts(batch as never), 'new'])
    })

    it('keeps the newest lines of the build output of each deployment', async (t) => {
      const { store } = await openLogs(t, open)
      await store.append([sampleResponse(), sampleLine({ deploymentId: 'dpl_b' })])
      await appendMany(store, many(BUILD_LINES + 250))
      const output = await readAll(store, { builds: true })
      assert.equal(output.length, BUILD_LINES)
      assert.deepEqual([output[0]?.text, output.at(-1)?.text], ['250', `${BUILD_LINES + 249}`])
      assert.equal((await readAll(store, { types: ['response'] })).length, 1)
      assert.equal((await readAll(store, {}, 'dpl_b')).length, 1)
    })

    it('prunes what is old and no build output, a step at a time', async (t) => {
      const { store } = await openLogs(t, open)
      const visits = [
        sampleResponse({ text: '1' }),
        sampleResponse({ text: '2', deploymentId: 'dpl_b' }),
        sampleResponse({ text: '3' }),
        sampleResponse({ text: '4', takenAt: NOW + 10 }),
      ]
      for (const visit of visits) await store.append([visit])
      await store.append([sampleLine({ text: 'build' })])
      assert.equal(await store.prune(NOW, 10), 0)
      assert.equal(await store.prune(NOW + 10, 2), 2)
      assert.deepEqual(texts(await readAll(store)), ['3', '4', 'build'])
      assert.equal(await store.prune(NOW + 10, 2), 1)
      assert.equal(await store.prune(NOW + 10, 2), 0)
      assert.deepEqual(texts(await readAll(store)), ['4', 'build'])
    })

    it('deletes the oldest when there is too much, tells how much there is, and gives the space back', async (t) => {
      const { store, config, database } = await openLogs(t, open)
      /** What the file takes on the disk. A server sees to its own. */
      const fileBytes = async () => {
        if (config.url !== undefined) return undefined
        await sql`pragma wal_checkpoint(truncate)`.execute(database.db)
        return fs.statSync(config.file).size
      }
      const before = await store.bytes()
      for (let i = 0; i < 40; i++)
        await store.append([
          ...many(100, (n) => ({
            text: randomBytes(450).toString('hex'),
            takenAt: NOW + i,
            info: { type: 'lambda', name: 'x', entrypoint: '' },
            id: `${NOW + i}${String(n).padStart(11, '0')}`,
          })),
        ])
      await store.append([sampleLine({ text: 'build' })])
      const full = await store.bytes()
      const fullFile = await fileBytes()
      assert.ok(full > before + 40 * 100 * 300, `${before} → ${full}`)
      assert.equal(await store.deleteOldest(30), 30)
      assert.ok((await store.bytes()) < full - (full - before) / 2)
      while (await store.giveBack()) await new Promise(setImmediate)
      const file = await fileBytes()
      if (file !== undefined && fullFile !== undefined)
        assert.ok(file < fullFile / 2, `the file has ${file} of ${fullFile} bytes`)
      const [oldest] = await readAll(store, { limit: 1 })
      assert.equal(oldest?.createdAt, NOW + 30)
      assert.equal(await store.deleteOldest(30), 10)
      assert.deepEqual(texts(await readAll(store)), ['build'])
    })

    it('tells what build output takes of its space', async (t) => {
      const { store } = await openLogs(t, open)
      const info = { type: 'lambda', name: 'x', entrypoint: '' } as const
      const before = await store.otherBytes()
      await store.append(
        many(1000, (n) => ({ info, text: randomBytes(50).toString('hex'), id: `${NOW}x${n}` })),
      )
      assert.equal(await store.otherBytes(), before)
      await store.append(many(1000, () => ({ text: 'ü'.repeat(50) })))
      const grown = (await store.otherBytes()) - before
      assert.ok(grown > 200_000 && grown < 1_000_000, String(grown))
    })

    it('tells what counts of visits take of its space', async (t) => {
      const { store, config, database } = await openLogs(t, open)
      const traffic = createTrafficStore(database.db)
      const [bytes, others] = [await store.bytes(), await store.otherBytes()]
      const tally = createTally().map((_, i) => i)
      const key = { deploymentId: 'dpl_1', step: 'hour', target: 'production', tally } as const
      for (let n = 0; n < 20; n++) {
        const row = { ...key, projectId: `prj_${n % 3}`, at: NOW + n * HOUR }
        const paths = Array.from({ length: 90 }, (_, i) => ({ ...row, path: `/page/${i}` }))
        await traffic.add([row, ...paths])
      }
      const grown = (await store.bytes()) - bytes
      assert.equal(grown > 0, config.url === undefined)
      const told = (await store.otherBytes()) - others
      assert.ok(told >= grown / 2 && told <= grown * 1.5, `${told} of ${grown}`)
    })

    describe('visits', () => {
      const visit = (given: Partial<LoggedVisit> = {}, at: Partial<NewVisit> = {}): NewVisit => ({
        visit: sampleVisit(given),
        region: 'iad1',
        takenAt: NOW,
        count: counter++ * 2,
        ...at,
      })
      let counter = 0

      it('are read as a request and a response, in the order of all that happened', async (t) => {
        const { store } = await openLogs(t, open)
        await store.append([sampleLine({ text: 'built' }), visit({ path: '/1' }), visit({ path: '/2' })])
        await store.append([sampleLine({ text: 'built again' }), visit({ path: '/3' })])
        const log = ['built', 'GET /1', 'GET /1 404 13ms', 'GET /2', 'GET /2 404 13ms', 'built again']
        const all = [...log, 'GET /3', 'GET /3 404 13ms']
        const entries = await readAll(store)
        assert.deepEqual(texts(entries), all)
        assertIncreasing(entries)
        assert.deepEqual(texts(await readAll(store, { direction: 'backward' })), all.toReversed())
        assert.deepEqual(texts(await store.after('0', 100)), all)
        assert.deepEqual(texts(await readAll(store, { builds: true })), ['built', 'built again'])
        for (const [i, { serial }] of entries.entries()) {
          assert.deepEqual(texts(await readAll(store, { after: serial })), all.slice(i + 1))
          assert.deepEqual(texts(await readAll(store, { before: serial })), all.slice(0, i))
          assert.deepEqual(
            texts(await readAll(store, { before: serial, direction: 'backward', limit: 3 })),
            all.slice(0, i).toReversed().slice(0, 3),
          )
          assert.deepEqual(texts(await store.after(serial, 2)), all.slice(i + 1, i + 3))
        }
      })

      it('are counted among what follows an entry', async (t) => {
        const { store } = await openLogs(t, open)
        for (let i = 0; i < 5; i++) await store.append([visit(), visit(), sampleLine()])
        const serials = (await readAll(store, { types: ['request', 'response'] })).map(({ serial }) => serial)
        assert.equal(serials.length, 20)
        for (const newest of [0, 1, 2, 3, 4, 7, 19])
          assert.equal(await store.serialBefore(newest, '0'), serials.at(-1 - newest))
        assert.equal(await store.serialBefore(20, '0'), undefined)
        assert.equal(await store.serialBefore(3, serials.at(-4) ?? ''), undefined)
        assert.equal(await store.serialBefore(2, serials.at(-4) ?? ''), serials.at(-3))
      })

      it('are repeated without harm', async (t) => {
        const { store } = await openLogs(t, open)
        const batch = [visit(), visit({ deploymentId: 'dpl_b' })]
        await store.append(batch)
        await store.append(batch)
        assert.equal((await readAll(store)).length, 2)
        assert.equal((await readAll(store, {}, 'dpl_b')).length, 2)
      })

      it('are found in the log of their project by everything that people look for', async (t) => {
        const { store } = await openLogs(t, open)
        const project = { projectId: 'prj_1', environment: 'production' } as const
        const line = (text: string, stream?: 'stderr') =>
          sampleLine({
            ...project,
            text,
            info: { type: 'lambda', name: 'i', entrypoint: 'api/x' },
            requestId: 'req_9',
            ...(stream ? { stream } : {}),
          })
        await store.append([
          visit({ id: 'req_1', path: '/ok', status: 200, source: 'static' }),
          visit({ id: 'req_2', path: '/gone', status: 404, source: 'error', method: 'POST' }),
          visit({ id: 'req_3', path: '/api/x', status: 500, source: 'function', host: 'b.aloft.test' }),
          visit({ id: 'req_4', path: '/ok', status: 200, deploymentId: 'dpl_b', environment: 'preview' }),
          visit({ projectId: 'prj_2', deploymentId: 'dpl_c' }),
          line('fine'),
          line('broken', 'stderr'),
        ])
        const found = async (filter: ProjectLogFilter) => {
          const page = await store.readProject('prj_1', { ...filter, direction: 'forward', limit: 100 })
          assert.ok(page.complete)
          return page.entries.map(({ requestId, type, text }) => (type === 'response' ? requestId : text))
        }
        const cases: readonly (readonly [ProjectLogFilter, readonly string[]])[] = [
          [{}, ['req_1', 'req_2', 'req_3', 'fine', 'broken', 'req_4']],
          [{ deploymentId: 'dpl_b' }, ['req_4']],
          [{ target: 'preview' }, ['req_4']],
          [{ types: ['request'] }, ['req_1', 'req_2', 'req_3', 'req_4']],
          [{ types: ['stderr', 'stdout'] }, ['fine', 'broken']],
          [{ types: ['stdout'] }, ['fine']],
          [{ levels: ['error'] }, ['req_3', 'broken']],
          [{ levels: ['warning'] }, ['req_2']],
          [{ levels: ['info'] }, ['req_1', 'fine', 'req_4']],
          [{ sources: ['function'] }, ['req_3', 'fine', 'broken']],
          [{ sources: ['error', 'static'] }, ['req_1', 'req_2', 'req_4']],
          [
            {
              statuses: [
                { from: 404, to: 404 },
                { from: 500, to: 599 },
              ],
            },
            ['req_2', 'req_3'],
          ],
          [{ statuses: [{ from: 300, to: 399 }] }, []],
          [{ method: 'POST' }, ['req_2']],
          [{ path: { text: '/o', anywhere: false } }, ['req_1', 'req_4']],
          [{ path: { text: 'x', anywhere: true } }, ['req_3']],
          [{ host: 'b.aloft.test' }, ['req_3']],
          [{ requestId: 'req_9' }, ['fine', 'broken']],
          [{ text: 'ok' }, ['req_1', 'broken', 'req_4']],
        ]
        for (const [filter, expected] of cases)
          assert.deepEqual(await found(filter), expected, JSON.stringify(filter))
      })

      it('of which nothing is meant are passed over without being read', async (t) => {
        const { store } = await openLogs(t, open)
        for (let i = 0; i < 30; i++)
          await store.append(
            Array.from({ length: 200 }, () => visit({ status: i === 3 ? 503 : 200 }, { takenAt: NOW + i })),
          )
        const page = await store.read('dpl_a', {
          direction: 'backward',
          status: { from: 500, to: 599 },
          limit: 10,
        })
        assert.deepEqual(
          page.entries.map(({ request, createdAt }) => [request?.status, createdAt]),
          Array(10).fill([503, NOW + 3]),
        )
      })
    })

    it('deletes all about the deployments it is given, however much there is', async (t) => {
      const { store } = await openLogs(t, open)
      await appendMany(
        store,
        many(2100, () => ({ info: { type: 'instance', name: 'a', entrypoint: '' } })),
      )
      await store.append([
        sampleLine(),
        ...['dpl_b', 'dpl_c'].map((deploymentId) => sampleLine({ deploymentId })),
      ])
      await store.deleteFor(['dpl_a', 'dpl_c', 'dpl_unknown'])
      await store.deleteFor(['dpl_a'])
      await store.deleteFor([])
      assert.deepEqual(await readAll(store), [])
      assert.deepEqual(await readAll(store, {}, 'dpl_c'), [])
      assert.equal((await readAll(store, {}, 'dpl_b')).length, 1)
    })

    it('shows entries of several processes in the order of their serials, none of them late', async (t) => {
      const logs = await openLogs(t, open)
      const writers = [logs.store, (await logs.again()).store, (await logs.again()).store]
      const reader = (await logs.again()).store
      const total = writers.length * 40 * 5
      const seen: LogEntry[] = []
      const writing = writers.map(async (store, writer) => {
        for (let i = 0; i < 40; i++)
          await store.append(many(5, (n) => ({ takenAt: Date.now(), text: `${writer}/${i * 5 + n}` })))
      })
      const reading = (async () => {
        for (let after = '-1'; seen.length < total; await new Promise(setImmediate)) {
          const page = await reader.read('dpl_a', { direction: 'forward', after, limit: 50 })
          seen.push(...page.entries)
          after = page.position ?? after
        }
      })()
      await Promise.all([...writing, reading])
      assertIncreasing(seen)
      assert.equal(new Set(texts(seen)).size, total)
      for (const [writer] of writers.entries())
        assert.deepEqual(
          texts(seen).filter((text) => text.startsWith(`${writer}/`)),
          Array.from({ length: 200 }, (_, i) => `${writer}/${i}`),
        )
      assert.ok(seen.every(({ serial, createdAt }) => createdAt === timeOfSerial(serial)))
    })

    it('has a schema of its own, beside that of everything else', async (t) => {
      const { database, config } = await openLogs(t, open, { migrated: false })
      const main = await openDatabase({ ...config, file: `${config.file}.main` })
      t.after(() => main.close())
      await assert.rejects(main.check())
      await main.migrate()
      await Promise.all([database.migrate(), main.migrate()])
      await database.check()
      await main.check()
    })
  }),
)

it('waits for the disk at the commits of everything but logs', { skip: aboutSqlite }, async (t) => {
  const { database, config } = await openLogs(t, async () => undefined)
  const main = await openDatabase({ file: `${config.file}.main` })
  t.after(() => main.close())
  await main.migrate()
  const syncs = t.mock.method(fs, 'fdatasync')
  syncBuiltinESMExports()
  t.after(() => {
    syncs.mock.restore()
    syncBuiltinESMExports()
  })
  const create = (db: Kysely<never>) => sql`create table waits (a text)`.execute(db)
  await create(database.db as never)
  assert.equal(syncs.mock.callCount(), 0)
  await create(main.db as never)
  assert.equal(syncs.mock.callCount(), 1)
})
