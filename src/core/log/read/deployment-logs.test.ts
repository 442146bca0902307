import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AloftError } from '#contract/errors.ts'
import type { LogEntry } from '../log-entry.ts'
import type { LogPage, LogQuery } from '../log-store.ts'
import { createDeploymentLogs } from './deployment-logs.ts'

/** A log in memory whose entries are numbered texts, read two at a time. */
function createWorld(size = 0, limits: { maxFollowers?: number; maxOfOne?: number } = {}) {
  const texts = Array.from({ length: size }, (_, i) => `${i + 1}`)
  const listeners = new Set<(id: string) => void>()
  const world = {
    queries: [] as LogQuery[],
    followers: () => listeners.size,
    fault: undefined as Error | undefined,
    append(id = 'dpl_a') {
      texts.push(`${texts.length + 1}`)
      for (const listener of listeners) listener(id)
    },
    async read(_id: string, query: LogQuery): Promise<LogPage> {
      world.queries.push(query)
      if (world.fault) throw world.fault
      const { direction, after = '-1', before = '1000000', limit, text = '' } = query
      const meant = texts.filter(
        (serial) => Number(serial) > Number(after) && Number(serial) < Number(before),
      )
      if (direction === 'backward') meant.reverse()
      const size = Math.min(limit, 2)
      const seen = meant.slice(0, size)
      const position = seen.at(-1)
      return {
        entries: seen.filter((serial) => serial.includes(text)).map((serial) => ({ serial }) as LogEntry),
        ...(position === undefined ? {} : { position }),
        complete: meant.length < size || seen.length === meant.length,
      }
    },
    logs: createDeploymentLogs({
      store: {
        readProject: (id, { direction, limit, after, before, text }): Promise<LogPage> =>
          world.read(id, { direction, limit, after, before, text }),
        read: (id, query): Promise<LogPage> => world.read(id, query),
      },
      bus: {
        subscribe(topic, listener) {
          assert.equal(topic, 'logs')
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
      pollMs: 100_000,
      gatherMs: 0,
      maxFollowers: 2,
      ...limits,
    }),
  }
  return world
}

const serials = (entries: readonly LogEntry[]) => entries.map(({ serial }) => serial).join(' ')

const take = async (entries: AsyncIterable<LogEntry>, count: number): Promise<string> => {
  const taken: LogEntry[] = []
  for await (const entry of entries) if (taken.push(entry) === count) break
  return serials(taken)
}

const never = new AbortController().signal
const forward = { direction: 'forward' } as const

describe('reading a log', () => {
  it('goes on page by page until there is enough or no more', async () => {
    const { logs } = createWorld(5)
    assert.equal(serials(await logs.read('dpl_a', forward)), '1 2 3 4 5')
    assert.equal(serials(await logs.read('dpl_a', { ...forward, limit: 3 })), '1 2 3')
    assert.equal(serials(await logs.read('dpl_a', { direction: 'backward', limit: 3 })), '5 4 3')
    assert.equal(serials(await logs.read('dpl_a', { ...forward, limit: 0 })), '')
    assert.equal(serials(await logs.read('dpl_a', { ...forward, after: '2', text: '5' })), '5')
  })

  it('answers no more than an answer may hold, whatever is asked for', async () => {
    const { logs, queries } = createWorld(1)
    await logs.read('dpl_a', { ...forward, limit: 1_000_000 })
    await logs.read('dpl_a', forward)
    assert.deepEqual(
      queries.map(({ limit }) => limit),
      [2000, 2000],
    )
  })

  it('gives up a search that would take for ever', async () => {
    const { logs, queries } = createWorld(1000)
    assert.equal(serials(await logs.read('dpl_a', { ...forward, text: 'nowhere' })), '')
    assert.equal(queries.length, 200)
  })
})

describe('following a log', () => {
  it('tells what is there, then what comes, each once and in order', async () => {
    const world = createWorld(3)
    const entries = world.logs.follow('dpl_a', {}, { signal: never })[Symbol.asyncIterator]()
    const next = async () => (await entries.next()).value?.serial
    assert.deepEqual([await next(), await next(), await next()], ['1', '2', '3'])
    const coming = next()
    world.append()
    assert.equal(await coming, '4')
    world.append()
    world.append()
    assert.deepEqual([await next(), await next()], ['5', '6'])
    await entries.return?.()
    assert.equal(world.followers(), 0)
  })

  it('starts with the newest entries when a number is wanted, and after a serial with all that follow', async () => {
    const follow = (request: object, count: number) =>
      take(createWorld(9).logs.follow('dpl_a', request, { signal: never }), count)
    assert.equal(await follow({ limit: 2 }, 2), '8 9')
    assert.equal(await follow({ limit: 5, after: '7' }, 2), '8 9')
    assert.equal(await follow({ after: '3' }, 6), '4 5 6 7 8 9')
    assert.equal(await follow({ text: '3' }, 1), '3')
  })

  it('tells only what is new when no entries are wanted', async () => {
    const world = createWorld(3)
    const entries = world.logs.follow('dpl_a', { limit: 0 }, { signal: never })[Symbol.asyncIterator]()
    const first = entries.next()
    while (world.queries.length < 2) await new Promise(setImmediate)
    world.append()
    assert.equal((await first).value?.serial, '4')
    await entries.return?.()
  })

  it('does not look twice at entries that are not meant', async () => {
    const world = createWorld(4)
    const entries = world.logs.follow('dpl_a', { after: '0', text: '5' }, { signal: never })
    const found = take(entries, 1)
    while (world.queries.length < 2) await new Promise(setImmediate)
    world.append()
    assert.equal(await found, '5')
    assert.deepEqual(
      world.queries.map(({ after }) => after),
      ['0', '2', '4'],
    )
  })

  it('is not woken by other deployments', async () => {
    const world = createWorld(1)
    const entries = world.logs.follow('dpl_a', { after: '1' }, { signal: never })[Symbol.asyncIterator]()
    const next = entries.next()
    while (world.queries.length < 1) await new Promise(setImmediate)
    await new Promise(setImmediate)
    const looks = world.queries.length
    world.append('dpl_b')
    for (let i = 0; i < 5; i++) await new Promise(setImmediate)
    assert.equal(world.queries.length, looks)
    world.append('dpl_a')
    assert.equal((await next).value?.serial, '2')
    await entries.return?.()
  })

  it('ends when the signal aborts, before or while it waits', async () => {
    const world = createWorld(1)
    assert.equal(await take(world.logs.follow('dpl_a', {}, { signal: AbortSignal.abort() }), 5), '')
    const abort = new AbortController()
    const entries = take(world.logs.follow('dpl_a', {}, { signal: abort.signal }), 5)
    while (world.queries.length < 3) await new Promise(setImmediate)
    abort.abort()
    assert.equal(await entries, '1')
    assert.equal(world.followers(), 0)
  })

  it('ends when all following is ended', async () => {
    const world = createWorld(1)
    const entries = take(world.logs.follow('dpl_a', {}, { signal: never }), 5)
    world.logs.close()
    assert.ok((await entries).length <= 1)
  })

  it('ends when it is finished, with all that was written before', async () => {
    const world = createWorld(1)
    let asked = 0
    const isFinished = async () => {
      // Whatever is written until the answer is known still belongs to it.
      world.append()
      return ++asked === 2
    }
    assert.equal(await take(world.logs.follow('dpl_a', {}, { signal: never, isFinished }), 9), '1 2 3')
    assert.equal(world.followers(), 0)
  })

  it('tells nothing more, of what was read already either, once who follows has lost the right to it', async () => {
    const world = createWorld(1)
    let [isAllowed, ended, doubt] = [true, 0, () => {}]
    const permit = (onDoubt: () => void) => {
      doubt = onDoubt
      return { holds: async () => isAllowed, end: () => ended++ }
    }
    const entries = world.logs.follow('dpl_a', {}, { signal: never, permit })[Symbol.asyncIterator]()
    assert.equal((await entries.next()).value?.serial, '1')
    const looks = world.queries.length
    const next = entries.next()
    while (world.queries.length === looks) await new Promise(setImmediate)
    isAllowed = false
    world.append()
    assert.deepEqual(await next, { done: true, value: undefined })
    assert.deepEqual([world.followers(), ended], [0, 1])

    isAllowed = true
    const before = world.queries.length
    const quiet = take(world.logs.follow('dpl_a', { limit: 0 }, { signal: never, permit }), 1)
    while (world.queries.length < before + 2) await new Promise(setImmediate)
    isAllowed = false
    doubt()
    assert.equal(await quiet, '', 'also where there is nothing to tell')
    const late = world.logs.follow('dpl_a', {}, { signal: never, permit })
    assert.equal(await take(late, 1), '', 'nor what was there before')
  })

  it('tells everything once there is telling again whether who follows may', async () => {
    const world = createWorld(1)
    const faults = [new AloftError('service_unavailable', 'away'), undefined, undefined]
    const permit = (onDoubt: () => void) => ({
      async holds() {
        const fault = faults.shift()
        onDoubt()
        if (fault) throw fault
        return true
      },
      end() {},
    })
    assert.equal(await take(world.logs.follow('dpl_a', {}, { signal: never, permit }), 1), '1')
    assert.ok(faults.length < 2)
  })

  it('waits for a store that does not answer, and ends with any other error', async () => {
    const world = createWorld(1)
    world.fault = new AloftError('service_unavailable', 'away')
    const entries = take(world.logs.follow('dpl_a', {}, { signal: never }), 1)
    while (world.queries.length < 1) await new Promise(setImmediate)
    world.fault = undefined
    world.append()
    assert.equal(await entries, '1')

    world.fault = new Error('broken')
    await assert.rejects(take(world.logs.follow('dpl_a', {}, { signal: never }), 1), /broken/)
    assert.equal(world.followers(), 0)
  })

  it('refuses more followers than it can serve', async () => {
    const { logs } = createWorld(1)
    const all = [1, 2].map(() => logs.follow('dpl_a', {}, { signal: never })[Symbol.asyncIterator]())
    for (const entries of all) await entries.next()
    assert.throws(() => logs.follow('dpl_a', {}, { signal: never }), { kind: 'service_unavailable' })
    await all[0]?.return?.()
    assert.equal(await take(logs.follow('dpl_a', {}, { signal: never }), 1), '1')
    await all[1]?.return?.()
  })
})

describe('following by many', () => {
  it('leaves room for others, however many logs one account follows', async () => {
    const { logs } = createWorld(3, { maxFollowers: 10, maxOfOne: 2 })
    const follow = (by: string) =>
      logs.follow('dpl_a', { after: '0' }, { signal: never, by })[Symbol.asyncIterator]()
    const mine = [follow('ada'), follow('ada'), follow('ada')]
    for (const each of mine.slice(0, 2)) assert.equal((await each.next()).value.serial, '1')
    await assert.rejects(async () => mine[2]?.next(), { kind: 'rate_limited' })
    assert.throws(() => follow('ada'), { kind: 'rate_limited' })
    const other = follow('bob')
    assert.equal((await other.next()).value.serial, '1')
    await mine[0]?.return?.()
    const again = follow('ada')
    assert.equal((await again.next()).value.serial, '1')
    for (const each of [...mine, other, again]) await each.return?.()
  })
})
