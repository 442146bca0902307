import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { AloftError } from '#contract/errors.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { clockOf } from '#test/support/clock.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { isVisit } from '../log-block.ts'
import type { LogDraft, NewLogEntry } from '../log-entry.ts'
import type { NewVisit } from '../logged-visit.ts'
import { sampleVisit } from '../logged-visit-testing.ts'
import { LogWriter } from './log-writer.ts'

const draft = (text: string, deploymentId = 'dpl_a'): LogDraft => ({
  deploymentId,
  type: 'stdout',
  at: 1,
  text,
  info: { type: 'build', name: 'bld_1', entrypoint: '' },
  region: 'iad1',
})

const away = () => new AloftError('service_unavailable', 'The database does not answer.')

/** A writer on a store in memory. Time stands still but for what a test lets pass. */
function createWorld(
  t: TestContext,
  given: { readonly maxBytes?: number; readonly hasRoom?: () => boolean } = {},
) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const batches: NewLogEntry[][] = []
  const visits: NewVisit[] = []
  const published: string[] = []
  const log = createRecordingLog()
  const world = {
    batches,
    visits,
    published,
    log,
    /** What the next appends do instead of storing. */
    faults: [] as (() => void | Promise<void>)[],
    attempts: 0,
    writer: new LogWriter({
      store: {
        async append(batch) {
          world.attempts++
          await world.faults.shift()?.()
          batches.push(batch.filter((record): record is NewLogEntry => !isVisit(record)))
          visits.push(...batch.filter(isVisit))
        },
      },
      bus: { publish: (topic, message) => published.push(`${topic} ${message}`) },
      clock: clockOf(() => 1_700_000_000_000),
      log,
      ...given,
    }),
    texts: () => batches.map((batch) => batch.map(({ text }) => text).join(' ')),
    record: (count: number) => {
      for (let i = 0; i < count; i++) world.writer.record(draft(`${i}`))
    },
    /** Lets time pass, and everything that follows from it happen. */
    async pass(ms: number) {
      await turn()
      t.mock.timers.tick(ms)
      await turn()
    },
  }
  return world
}

const turn = async () => {
  for (let i = 0; i < 3; i++) await new Promise(setImmediate)
}

describe('a log writer', () => {
  it('writes what came within 20 ms in one batch, in its order', async (t) => {
    const world = createWorld(t)
    for (const text of ['a', 'b', 'c']) world.writer.record(draft(text))
    await world.pass(19)
    assert.deepEqual(world.texts(), [])
    await world.pass(1)
    assert.deepEqual(world.texts(), ['a b c'])
    world.writer.record(draft('d'))
    await world.pass(20)
    assert.deepEqual(world.texts(), ['a b c', 'd'])
  })

  it('writes a hundred entries without waiting for time to pass', async (t) => {
    const world = createWorld(t)
    world.record(99)
    await turn()
    assert.equal(world.batches.length, 0)
    world.record(1)
    await turn()
    assert.deepEqual(
      world.batches.map((batch) => batch.length),
      [100],
    )
  })

  it('writes what came during a batch in a larger one, though not in one without bound', async (t) => {
    const world = createWorld(t)
    world.record(820)
    await world.pass(0)
    await world.pass(20)
    assert.deepEqual(
      world.batches.map((batch) => batch.length),
      [100, 500, 220],
    )
  })

  it('lets visits wait for 250 ms, unless there are many of them or a line has to be written', async (t) => {
    const world = createWorld(t)
    const visit = (count: number) => {
      for (let i = 0; i < count; i++) world.writer.recordVisit(sampleVisit(), 'iad1')
    }
    visit(3)
    await world.pass(249)
    assert.equal(world.visits.length, 0)
    await world.pass(1)
    assert.equal(world.visits.length, 3)
    visit(1000)
    await turn()
    assert.equal(world.visits.length, 1003)
    visit(1)
    await world.pass(100)
    world.record(1)
    await world.pass(20)
    assert.equal(world.visits.length, 1004)
    assert.deepEqual(world.texts().filter(Boolean), ['0'])
  })

  it('tells of the deployment and of the project that was visited', async (t) => {
    const world = createWorld(t)
    world.writer.recordVisit(sampleVisit(), 'iad1')
    await world.pass(250)
    assert.deepEqual(world.published, ['logs dpl_a', 'logs prj_1'])
  })

  it('tells of the visits of a busy site now and then, and of a line at once', async (t) => {
    const world = createWorld(t)
    const busy = async () => {
      for (let i = 0; i < 1000; i++) world.writer.recordVisit(sampleVisit(), 'iad1')
      await turn()
    }
    for (let batch = 0; batch < 5; batch++) await busy()
    assert.equal(world.visits.length, 5000)
    assert.deepEqual(world.published, ['logs dpl_a', 'logs prj_1'])
    await world.pass(250)
    assert.equal(world.published.length, 4, 'the others together')
    await busy()
    world.writer.record(draft('x', 'dpl_b'))
    await world.pass(20)
    assert.deepEqual(world.published.slice(4).sort(), ['logs dpl_a', 'logs dpl_b', 'logs prj_1'])
    await busy()
    await world.writer.close()
    assert.equal(world.published.length, 9, 'nothing is left untold at the end')
  })

  it('gives every entry an id that rises', async (t) => {
    const world = createWorld(t)
    world.record(100)
    await turn()
    const ids = world.batches.flat().map(({ id }) => id)
    assert.ok(ids.every((id) => /^\d{24}$/.test(id)))
    assert.deepEqual(ids, [...new Set(ids)].sort())
  })

  it('tells of each deployment once a batch, after it is stored', async (t) => {
    const world = createWorld(t)
    const stored = Promise.withResolvers<void>()
    world.faults.push(() => stored.promise)
    for (const id of ['dpl_a', 'dpl_b', 'dpl_a']) world.writer.record(draft('x', id))
    await world.pass(20)
    assert.deepEqual(world.published, [])
    stored.resolve()
    await turn()
    assert.deepEqual(world.published, ['logs dpl_a', 'logs dpl_b'])
  })

  it('tries a batch again while the store does not answer, and keeps the order', async (t) => {
    const world = createWorld(t)
    const fail = () => Promise.reject(away())
    world.faults.push(fail, fail)
    world.writer.record(draft('a'))
    await world.pass(20)
    world.writer.record(draft('b'))
    assert.deepEqual([world.attempts, world.texts()], [1, []])
    await world.pass(50)
    assert.equal(world.attempts, 2)
    await world.pass(99)
    assert.equal(world.attempts, 2)
    await world.pass(1)
    assert.deepEqual(world.texts(), ['a'])
    await world.pass(20)
    assert.deepEqual(world.texts(), ['a', 'b'])
    assert.equal(world.writer.dropped, 0)
    assert.equal(world.log.entries.filter(({ level }) => level === 'warn').length, 1)
  })

  it('writes all of a batch but the entry that the store refuses', async (t) => {
    const world = createWorld(t)
    const refuse = () => Promise.reject(new Error('bad text'))
    world.faults.push(refuse, () => {}, refuse)
    for (const text of ['a', 'b', 'c']) world.writer.record(draft(text))
    await world.pass(20)
    assert.deepEqual(world.texts(), ['a', 'c'])
    assert.equal(world.writer.dropped, 1)
    assert.deepEqual(world.log.entries.at(-1)?.fields, { dropped: 1, total: 1, err: new Error('bad text') })
    world.writer.record(draft('d'))
    await world.pass(20)
    assert.deepEqual(world.texts(), ['a', 'c', 'd'])
  })

  it('drops what comes while too much waits, says so, and goes on afterwards', async (t) => {
    const world = createWorld(t, { maxBytes: 5000 })
    const stored = Promise.withResolvers<void>()
    world.faults.push(() => stored.promise)
    world.writer.record(draft('x'.repeat(4000)))
    await world.pass(20)
    world.record(100)
    assert.equal(world.writer.dropped, 99)
    assert.deepEqual(
      world.log.entries.map(({ message, fields }) => [message, fields]),
      [['log entries were dropped', { dropped: 1, total: 1, err: undefined }]],
    )
    await world.pass(10_000)
    assert.deepEqual(world.log.entries.at(-1)?.fields, { dropped: 98, total: 99, err: undefined })
    stored.resolve()
    await world.pass(20)
    world.record(1)
    await world.pass(20)
    assert.equal(world.writer.dropped, 99)
    assert.deepEqual(world.texts().slice(1), ['0', '0'])
  })

  it('records nothing while little space is left on the disk, says so, and goes on afterwards', async (t) => {
    let room = true
    const world = createWorld(t, { hasRoom: () => room })
    world.record(1)
    await world.pass(20)
    room = false
    world.record(2)
    world.writer.recordVisit(sampleVisit(), 'iad1')
    await world.pass(250)
    assert.deepEqual([world.attempts, world.writer.dropped], [1, 3], 'the database is not even asked')
    const err = new Error('too little space is left on the disk')
    assert.deepEqual(world.log.entries.at(-1)?.fields, { dropped: 3, total: 3, err })
    room = true
    world.record(1)
    await world.pass(20)
    assert.deepEqual(world.texts(), ['0', '0'])
  })

  it('never drops what is saved, and tells when it is stored', async (t) => {
    const world = createWorld(t, { maxBytes: 0 })
    let saved = false
    const saving = world.writer.save(draft('a')).then(() => {
      saved = true
    })
    world.writer.record(draft('b'))
    await turn()
    assert.equal(saved, false)
    await world.pass(20)
    await saving
    assert.deepEqual([world.texts(), world.writer.dropped], [['a'], 1])
  })

  it('cuts texts, and replaces what a database may refuse', async (t) => {
    const world = createWorld(t)
    world.writer.record(draft('é'.repeat(5000)))
    world.writer.record(draft('a\0b\ud800c'))
    await world.pass(20)
    const [long, odd] = world.batches.flat()
    assert.equal(long?.text, 'é'.repeat(2048))
    assert.equal(odd?.text, 'a\ufffdb\ufffdc')
  })

  it('flushes what it has taken so far', async (t) => {
    const world = createWorld(t)
    await world.writer.flush()
    world.record(3)
    await world.writer.flush()
    assert.deepEqual(world.texts(), ['0 1 2'])
  })

  it('stores everything when it is closed, and takes nothing more', async (t) => {
    const world = createWorld(t)
    world.record(250)
    await world.writer.close()
    assert.equal(world.batches.flat().length, 250)
    world.record(2)
    await world.writer.save(draft('late'))
    await world.writer.close()
    assert.deepEqual([world.batches.flat().length, world.writer.dropped], [250, 3])
  })

  it('gives up when it is closed and the store stays away, and counts what is lost', async (t) => {
    const world = createWorld(t)
    world.faults.push(...Array.from({ length: 50 }, () => () => Promise.reject(away())))
    world.record(2)
    const saving = world.writer.save(draft('a'))
    const closing = world.writer.close(1000)
    for (let i = 0; i < 10; i++) await world.pass(100)
    await closing
    await saving
    assert.deepEqual([world.texts(), world.writer.dropped], [[], 3])
    assert.deepEqual(world.log.entries.at(-1)?.message, 'log entries were dropped')
  })

  it('stops nothing when entries cannot be announced', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const log = createRecordingLog()
    let stored = 0
    const writer = new LogWriter({
      store: {
        append: async (batch) => {
          stored += batch.length
        },
      },
      bus: {
        publish() {
          throw new Error('no bus')
        },
      },
      clock: systemClock,
      log,
    })
    writer.record(draft('a'))
    await writer.flush()
    writer.record(draft('b'))
    await writer.flush()
    assert.equal(stored, 2)
  })
})
