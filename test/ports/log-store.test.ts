import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#adapters/sql/database.ts'
import type { LogEntry } from '#core/log/log-entry.ts'
import { BUILD_LINES, type LogFilter, type LogStore } from '#core/log/log-store.ts'
import { firstSerialOf, timeOfSerial } from '#core/log/serial.ts'
import { eachDatabase } from '#test/support/databases.ts'
import { NOW, openLogs, readAll, sampleLine, sampleResponse } from '#test/support/logs.ts'

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
        const first = await store.read('dpl_a', { direction, text: 'nothing', limit: 10 })
        assert.deepEqual([first.entries, first.complete], [[], false])
        assert.ok(first.position)
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

    it('prunes the oldest entries that are no build output, a step at a time', async (t) => {
      const { store } = await openLogs(t, open)
      await store.append([
        sampleResponse({ text: '1' }),
        sampleLine({ text: 'build' }),
        sampleResponse({ text: '2', deploymentId: 'dpl_b' }),
        sampleResponse({ text: '3' }),
        sampleResponse({ text: '4', takenAt: NOW + 10 }),
      ])
      assert.equal(await store.prune(NOW, 10), 0)
      assert.equal(await store.prune(NOW + 10, 2), 2)
      assert.deepEqual(texts(await readAll(store)), ['build', '3', '4'])
      assert.equal(await store.prune(NOW + 10, 2), 1)
      assert.equal(await store.prune(NOW + 10, 2), 0)
      assert.deepEqual(texts(await readAll(store)), ['build', '4'])
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
      const { database, config } = await openLogs(t, open)
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

it('waits for the disk at the commits of everything but logs', async (t) => {
  const { database, config } = await openLogs(t, async () => undefined)
  const main = await openDatabase({ file: `${config.file}.main` })
  t.after(() => main.close())
  const levels = await Promise.all(
    [database.db, main.db].map((db) => sql<{ synchronous: number }>`pragma synchronous`.execute(db)),
  )
  assert.deepEqual(
    levels.map(({ rows }) => rows[0]?.synchronous),
    [1, 2],
  )
})
