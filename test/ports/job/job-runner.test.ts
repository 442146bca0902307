import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import { createDatabaseClock } from '#adapters/sql/database/database-clock.ts'
import { HOUR, MINUTE, SECOND } from '#contract/time.ts'
import { type JobHandler, PermanentFailure, shareOf } from '#core/job/job-handler.ts'
import { JOBS_TOPIC } from '#core/job/job-queue.ts'
import { JobRunner } from '#core/job/job-runner.ts'
import { createTestClock } from '#test/support/clock.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { silentLog } from '#test/support/silent-log.ts'

eachDatabase((name, open) => describe(`job runner on ${name}`, () => suite(open)))

function suite(open: OpenDatabase): void {
  async function setUp(t: TestContext, handlers: readonly JobHandler[], options: { leaseMs?: number } = {}) {
    const runners: JobRunner[] = []
    // Before the database is closed, which would wait for what they are doing, and they for it.
    t.after(() => Promise.all(runners.map((runner) => runner.drain(100))))
    const opened = await openStores(t, open)
    const bus = createMemoryBus({ log: silentLog })
    const start = (worker: string) => {
      const runner = new JobRunner({
        store: opened.stores.jobs,
        transact: opened.transact,
        handlers,
        bus,
        clock: opened.clock,
        log: silentLog,
        worker,
        ...options,
      })
      runners.push(runner)
      return runner
    }
    return { ...opened, bus, start, runner: start('one') }
  }
  const handler = (run: JobHandler['run'], more: Partial<JobHandler> = {}): JobHandler => ({
    kind: 'work',
    summary: 'Work',
    timeLimit: 60_000,
    maxAttempts: 3,
    backOff: () => 1000,
    run,
    ...more,
  })

  test('a job is done once, with its payload, and is gone', async (t) => {
    const seen: unknown[] = []
    const { stores, runner } = await setUp(t, [handler(async (payload) => void seen.push(payload))])
    await stores.jobs.enqueue({ kind: 'work', payload: { n: 1 } })
    await runner.idle()
    assert.deepEqual(seen, [{ n: 1 }])
    assert.deepEqual(await stores.jobs.counts(), { queued: 0, running: 0, failed: 0 })
  })

  test('a wake-up over the bus starts a job at once', async (t) => {
    const done = Promise.withResolvers<void>()
    const { stores, runner, bus } = await setUp(t, [handler(async () => done.resolve())])
    await runner.start()
    await stores.jobs.enqueue({ kind: 'work', payload: {} })
    bus.publish(JOBS_TOPIC, '')
    await done.promise
  })

  test('a failed job is tried again after its pause, and buried when it has failed too often', async (t) => {
    let attempts = 0
    const { stores, runner, clock } = await setUp(t, [
      handler(async () => {
        attempts++
        throw new Error('no luck')
      }),
    ])
    await stores.jobs.enqueue({ kind: 'work', payload: {} })
    await runner.idle()
    assert.equal(attempts, 1, 'the pause is kept')
    for (let i = 0; i < 4; i++) {
      clock.advance(1001)
      await runner.idle()
    }
    assert.equal(attempts, 3)
    assert.deepEqual(await stores.jobs.counts(), { queued: 0, running: 0, failed: 1 })
  })

  test('what another attempt cannot mend is buried at once', async (t) => {
    const { stores, runner } = await setUp(t, [
      handler(async () => {
        throw new PermanentFailure('never')
      }),
    ])
    await stores.jobs.enqueue({ kind: 'work', payload: {} })
    await runner.idle()
    assert.equal((await stores.jobs.counts()).failed, 1)
  })

  test('a job whose worker died is done by another after the lease', async (t) => {
    const by: string[] = []
    const { stores, clock, start } = await setUp(t, [handler(async () => void by.push('two'))])
    await stores.jobs.enqueue({ kind: 'work', payload: {} })
    const now = clock.now()
    const [claimed] = await stores.jobs.claim({
      kinds: ['work'],
      worker: 'dead',
      now,
      leaseUntil: now + 1000,
      limit: 1,
    })
    assert.ok(claimed)
    const other = start('two')
    await other.idle()
    assert.deepEqual(by, [], 'the lease still holds')
    clock.advance(1001)
    await other.idle()
    assert.deepEqual(by, ['two'])
  })

  test('a job is done once, though the clock of another machine is ahead by more than its lease', async (t) => {
    const opened = await openStores(t, open)
    const begun = Promise.withResolvers<void>()
    const again = Promise.withResolvers<void>()
    const isEnough = Promise.withResolvers<void>()
    const by: string[] = []
    const start = (worker: string, ahead: number) => {
      const clock = createTestClock()
      clock.jump(ahead)
      const run = async () => {
        by.push(worker)
        if (by.length === 2) begun.resolve()
        if (by.length > 2) again.resolve()
        await isEnough.promise
      }
      return new JobRunner({
        ...{ store: opened.stores.jobs, transact: opened.transact, bus: createMemoryBus({ log: silentLog }) },
        ...{ clock, log: silentLog, worker, leaseMs: 20 * SECOND },
        leaseTime: createDatabaseClock(opened.database.db, clock),
        handlers: [handler(run), handler(run, { kind: 'turns', atOnce: 1, inOrder: true })],
      })
    }
    const runners = [start('one', 0), start('two', 25 * SECOND)] as const
    t.after(() => Promise.all(runners.map((runner) => runner.drain(100))))
    const [one, two] = runners
    for (const kind of ['work', 'turns'])
      await opened.stores.jobs.enqueue({ kind, payload: {}, share: 'an-account' })
    const done = one.idle()
    await begun.promise
    const other = two.idle()
    await Promise.race([other, again.promise])
    isEnough.resolve()
    await Promise.all([done, other])
    assert.deepEqual(by, ['one', 'one'])
  })

  test('a job that takes longer than it may is aborted and tried again', async (t) => {
    let aborted = 0
    const { stores, runner, clock } = await setUp(t, [
      handler(
        (_payload, { signal, attempt }) =>
          attempt > 1
            ? Promise.resolve()
            : new Promise((_resolve, reject) =>
                signal.addEventListener('abort', () => {
                  aborted++
                  reject(signal.reason)
                }),
              ),
        { timeLimit: 20 },
      ),
    ])
    await stores.jobs.enqueue({ kind: 'work', payload: {} })
    await runner.idle()
    assert.equal(aborted, 1)
    clock.advance(1001)
    await runner.idle()
    assert.deepEqual(await stores.jobs.counts(), { queued: 0, running: 0, failed: 0 })
  })

  test('a clock that was ahead for a while keeps no job waiting for as long', async (t) => {
    const done: string[] = []
    const handlers = [
      handler(async () => void done.push('round'), { kind: 'round', every: HOUR }),
      handler(async () => void done.push('work')),
    ]
    const { stores, start, runner, clock } = await setUp(t, handlers)
    clock.advance(1000 * HOUR)
    await runner.start()
    await stores.jobs.enqueue({ kind: 'work', payload: {}, runAt: clock.now() + HOUR })
    await runner.drain(100)
    clock.advance(-1000 * HOUR)
    const again = start('two')
    await again.start()
    clock.advance(HOUR)
    await again.idle()
    assert.deepEqual(done.sort(), ['round', 'work'])
  })

  test('a job is brought forward once after a clock was ahead', async (t) => {
    const { stores, runner, clock } = await setUp(t, [handler(async () => {})])
    clock.jump(1000 * HOUR)
    await stores.jobs.enqueue({ kind: 'work', payload: {}, runAt: clock.now() + 100 * HOUR })
    clock.jump(-1000 * HOUR)
    const dueAt = clock.now() + 100 * HOUR
    await runner.start()
    for (let i = 0; i < 3; i++) {
      clock.advance(2 * MINUTE)
      await runner.idle()
    }
    const [job] = await stores.jobs.latest(1)
    assert.ok(Math.abs((job?.dueAt ?? 0) - dueAt) < MINUTE, String((job?.dueAt ?? 0) - dueAt))
  })

  test('jobs for later, however many, hide none that a clock that was ahead keeps waiting', async (t) => {
    const done: string[] = []
    const handlers = [
      handler(async () => void done.push('round'), { kind: 'round', every: HOUR }),
      handler(async () => void done.push('work')),
    ]
    const { stores, transact, start, runner, clock } = await setUp(t, handlers)
    await transact(async ({ jobs }) => {
      for (let i = 0; i < 250; i++)
        await jobs.enqueue({ kind: 'work', payload: {}, runAt: clock.now() + 3000 * HOUR })
    })
    clock.advance(1000 * HOUR)
    await runner.start()
    await stores.jobs.enqueue({ kind: 'work', payload: {}, runAt: clock.now() + HOUR })
    await runner.drain(100)
    clock.advance(-1000 * HOUR)
    const again = start('two')
    await again.start()
    clock.advance(HOUR)
    await again.idle()
    assert.deepEqual(done.sort(), ['round', 'work'])
  })

  test('a recurring job comes round, is enqueued once however many runners start, and survives failure', async (t) => {
    let runs = 0
    const { stores, start, clock } = await setUp(t, [
      handler(
        async () => {
          runs++
          if (runs === 2) throw new Error('once')
        },
        { every: HOUR, maxAttempts: 1 },
      ),
    ])
    const [a, b] = [start('a'), start('b')]
    await Promise.all([a.start(), b.start()])
    assert.equal((await stores.jobs.counts()).queued, 1)
    await a.idle()
    assert.equal(runs, 0, 'not before its time')
    for (let round = 1; round <= 3; round++) {
      clock.advance(HOUR + 1)
      await a.idle()
      await b.idle()
      assert.equal(runs, round)
    }
    assert.deepEqual(await stores.jobs.counts(), { queued: 1, running: 0, failed: 0 })
  })

  test('draining lets jobs under way end and takes no more', async (t) => {
    const release = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    let ended = 0
    const { stores, runner } = await setUp(t, [
      handler(async () => {
        began.resolve()
        await release.promise
        ended++
      }),
    ])
    await stores.jobs.enqueue({ kind: 'work', payload: {} })
    await runner.start()
    await began.promise
    const drained = runner.drain(10_000)
    await stores.jobs.enqueue({ kind: 'work', payload: {} })
    runner.wake()
    release.resolve()
    await drained
    assert.equal(ended, 1)
    assert.equal((await stores.jobs.counts()).queued, 1)
  })

  test('jobs that keep their order run one at a time for a share, as they fell due', async (t) => {
    const order: string[] = []
    let atOnce = 0
    const work = handler(
      async ({ name }) => {
        assert.ok(++atOnce <= 2, 'one for each share')
        await new Promise(setImmediate)
        order.push(String(name))
        atOnce--
      },
      { atOnce: 8, inOrder: true },
    )
    const { stores, runner, clock } = await setUp(t, [work])
    const before = clock.now() - 1000
    const names = ['a5', 'b2', 'a1', 'a4', 'b1', 'a2', 'a3']
    for (const name of names)
      await stores.jobs.enqueue({
        kind: 'work',
        payload: { name },
        share: name[0] as string,
        runAt: before + Number(name[1]),
      })
    await runner.idle()
    for (const share of ['a', 'b'])
      assert.deepEqual(
        order.filter((name) => name.startsWith(share)),
        names.filter((name) => name.startsWith(share)).sort(),
      )
  })

  /** Jobs that end when they are told to. */
  const gated = (more: Partial<JobHandler>) => {
    const begun: string[] = []
    const gates = new Map<string, () => void>()
    const slow = handler(
      ({ name }) =>
        new Promise<void>((resolve) => {
          begun.push(String(name))
          gates.set(String(name), resolve)
        }),
      { kind: 'slow', atOnce: 1, ...more },
    )
    return { begun, slow, end: (name: string) => gates.get(name)?.() }
  }

  test('a kind with workers of its own takes turns between shares and leaves the others alone', async (t) => {
    const { begun, slow, end } = gated({})
    const others: unknown[] = []
    const quick = handler(async ({ n }) => void others.push(n))
    const { stores, runner, clock } = await setUp(t, [slow, quick])
    for (const name of ['a1', 'a2', 'a3', 'b1']) {
      await stores.jobs.enqueue({ kind: 'slow', payload: { name }, share: name[0] as string })
      clock.advance(1)
    }
    for (const n of [1, 2, 3]) await stores.jobs.enqueue({ kind: 'work', payload: { n } })
    await runner.start()
    const next = async (name: string) => {
      await until(runner, () => begun.includes(name))
      end(name)
    }
    for (const name of ['a1', 'b1', 'a2', 'a3']) await next(name)
    await runner.idle()
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'a3'])
    assert.deepEqual(others.sort(), [1, 2, 3])
  })

  const until = async (runner: JobRunner, isSo: () => boolean) => {
    while (!isSo()) {
      runner.wake()
      await new Promise(setImmediate)
    }
  }

  test('of those that wait, whose jobs took the least time of late comes first', async (t) => {
    const { begun, slow, end } = gated({})
    const { stores, runner, clock } = await setUp(t, [slow])
    const add = (name: string) =>
      stores.jobs.enqueue({ kind: 'slow', payload: { name }, share: name[0] as string })
    await add('a1')
    await runner.start()
    await until(runner, () => begun.length === 1)
    clock.advance(10)
    await add('b1')
    end('a1')
    await until(runner, () => begun.length === 2)
    // b has had the last turn, and took much longer for it than a did.
    clock.advance(HOUR / 10)
    for (const name of ['b2', 'a2']) await add(name)
    end('b1')
    await until(runner, () => begun.length === 3)
    for (const name of ['a2', 'b2']) {
      await until(runner, () => begun.includes(name))
      end(name)
    }
    await runner.idle()
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'b2'])
  })

  test('one that does not end gives way to the others, but not to more of its own share', async (t) => {
    const { begun, slow, end } = gated({ givesWayAfter: HOUR })
    const { stores, runner, clock } = await setUp(t, [slow], { leaseMs: 10 * HOUR })
    for (const name of ['a1', 'a2', 'b1', 'c1'])
      await stores.jobs.enqueue({ kind: 'slow', payload: { name }, share: name[0] as string })
    await runner.start()
    await until(runner, () => begun.length === 1)
    clock.advance(HOUR / 2)
    runner.wake()
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    assert.equal(begun.length, 1)
    clock.advance(HOUR / 2)
    await until(runner, () => begun.length === 2)
    assert.deepEqual(begun.toSorted(), ['a1', 'b1'])
    // One more is all, however long both take.
    clock.advance(HOUR)
    runner.wake()
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    assert.equal(begun.length, 2)
    end('b1')
    await until(runner, () => begun.includes('c1'))
    assert.ok(!begun.includes('a2'))
    for (const name of ['c1', 'a1', 'a2']) {
      await until(runner, () => begun.includes(name))
      end(name)
    }
    await runner.idle()
  })

  test('an account has only so many of them at once, whichever of its things they are for', async (t) => {
    const { begun, slow, end } = gated({ atOnce: 4, ofOneAccount: 2, inOrder: true })
    const { stores, runner } = await setUp(t, [slow], { leaseMs: 10 * HOUR })
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5'])
      await stores.jobs.enqueue({ kind: 'slow', payload: { name }, share: shareOf('a', name) })
    await runner.start()
    await until(runner, () => begun.length === 2)
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    assert.equal(begun.length, 2)
    await stores.jobs.enqueue({ kind: 'slow', payload: { name: 'b1' }, share: shareOf('b', 'b1') })
    await until(runner, () => begun.includes('b1'))
    assert.equal(begun.length, 3)
    for (let ended = 0; ended < 6; ended++) {
      await until(runner, () => begun.length > ended)
      end(begun[ended] as string)
    }
    await runner.idle()
  })

  test('a kind that runs apart waits for none of the others, and they do not for it', async (t) => {
    const done: string[] = []
    const open = Promise.withResolvers<void>()
    const endless = handler(() => open.promise, { kind: 'endless' })
    const hosts = handler(() => open.promise, { kind: 'host', apart: 2 })
    const mail = handler(
      async ({ name }) => {
        done.push(String(name))
      },
      { kind: 'mail', apart: 1 },
    )
    const { stores, runner } = await setUp(t, [endless, hosts, mail], { leaseMs: 10 * HOUR })
    t.after(() => open.resolve())
    for (let n = 0; n < 8; n++) {
      await stores.jobs.enqueue({ kind: 'endless', payload: {} })
      await stores.jobs.enqueue({ kind: 'host', payload: {} })
    }
    for (const name of ['first', 'second']) await stores.jobs.enqueue({ kind: 'mail', payload: { name } })
    await runner.start()
    await until(runner, () => done.length === 2)
    assert.deepEqual(done.toSorted(), ['first', 'second'])
    open.resolve()
    await runner.idle()
  })

  test('beside one that runs, another is begun only while the machine can bear it', async (t) => {
    let bears = false
    const { begun, slow, end } = gated({ atOnce: 2, mayBegin: () => bears })
    const { stores, runner } = await setUp(t, [slow], { leaseMs: 10 * HOUR })
    for (const name of ['a1', 'b1', 'c1'])
      await stores.jobs.enqueue({ kind: 'slow', payload: { name }, share: name[0] as string })
    await runner.start()
    await until(runner, () => begun.length === 1)
    runner.wake()
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    assert.equal(begun.length, 1)
    end(begun[0] ?? '')
    await until(runner, () => begun.length === 2)
    bears = true
    runner.wake()
    await until(runner, () => begun.length === 3)
    for (const name of begun) end(name)
    await runner.idle()
  })

  test('those that have to wait are told how many are before them, again whenever that changes', async (t) => {
    const told: unknown[] = []
    const { begun, slow, end } = gated({
      onWaiting: async ({ name }, { ahead, expected, isFirst }) =>
        void told.push([name, ahead, expected && Math.floor(expected / HOUR), isFirst]),
    })
    const { stores, runner, clock } = await setUp(t, [slow], { leaseMs: 10 * HOUR })
    const add = (name: string) =>
      stores.jobs.enqueue({ kind: 'slow', payload: { name }, share: name[0] as string })
    await add('a1')
    await runner.start()
    await until(runner, () => begun.length === 1)
    assert.deepEqual(told, [])
    for (const name of ['a2', 'a3', 'b1']) {
      await add(name)
      clock.advance(1)
    }
    await until(runner, () => told.length === 3)
    assert.deepEqual(told, [
      ['b1', 0, undefined, true],
      ['a2', 1, undefined, true],
      ['a3', 2, undefined, true],
    ])
    clock.advance(HOUR)
    end('a1')
    await until(runner, () => begun.includes('b1'))
    await until(runner, () => told.length === 5)
    assert.deepEqual(told.slice(3), [
      ['a2', 0, 1, false],
      ['a3', 1, 2, false],
    ])
    await add('c1')
    await until(runner, () => told.some((each) => isDeepStrictEqual(each, ['c1', 0, 1, true])))
    for (const name of ['b1', 'c1', 'a2', 'a3']) {
      await until(runner, () => begun.includes(name))
      end(name)
    }
    await runner.idle()
  })

  test('a drain stops long work at once, and the attempt does not count', async (t) => {
    const attempts: number[] = []
    const begun = Promise.withResolvers<void>()
    const long = handler(
      async (_payload, { attempt, signal }) => {
        attempts.push(attempt)
        begun.resolve()
        if (attempts.length === 1) await new Promise((_, reject) => signal.addEventListener('abort', reject))
      },
      { atOnce: 1 },
    )
    const { stores, runner, start } = await setUp(t, [long])
    await stores.jobs.enqueue({ kind: 'work', payload: {}, share: 'a' })
    await runner.start()
    await begun.promise
    await runner.drain(HOUR)
    await start('two').idle()
    assert.deepEqual(attempts, [1, 1])
  })

  test('what a worker held when it died is due again as soon as it is back', async (t) => {
    const done: number[] = []
    const { stores, clock, start } = await setUp(t, [
      handler(async (_, { attempt }) => void done.push(attempt)),
    ])
    await stores.jobs.enqueue({ kind: 'work', payload: {} })
    const now = clock.now()
    const claim = { kinds: ['work'], now, leaseUntil: now + HOUR, limit: 1 }
    assert.equal((await stores.jobs.claim({ ...claim, worker: 'dead' })).length, 1)
    await start('another').idle()
    assert.deepEqual(done, [])
    const back = start('dead')
    await back.start()
    await back.idle()
    assert.deepEqual(done, [2])
  })
}
