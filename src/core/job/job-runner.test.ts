import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AloftError } from '#contract/errors.ts'
import { MINUTE } from '#contract/time.ts'
import { clockOf } from '#test/support/clock.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { silentLog } from '#test/support/silent-log.ts'
import type { Bus } from '../ports/bus.ts'
import type { JobHandler } from './job-handler.ts'
import { JOBS_TOPIC, type JobStore } from './job-queue.ts'
import { JobRunner } from './job-runner.ts'

const handler: JobHandler = {
  ...{ kind: 'ordered', summary: 'Work', timeLimit: 60_000, maxAttempts: 3, atOnce: 4, inOrder: true },
  run: async () => {},
}

/** A store whose only job is due and waits for one of its share that another process does. */
function busyElsewhere() {
  let looks = 0
  const store: Partial<JobStore> = {
    reclaim: async () => {},
    latest: async () => [],
    scheduled: async () => [],
    claim: async () => [],
    waiting: async () => [{ share: 'a', running: 1 }],
    nextDue: async () => {
      looks++
      return 0
    },
  }
  const listeners = new Set<(message: string) => void>()
  const bus: Bus = {
    publish: (_, message) => {
      for (const listener of listeners) listener(message)
    },
    subscribe(_, listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => {},
  }
  const runner = new JobRunner({
    ...{ store: store as JobStore, handlers: [handler], bus, clock: clockOf(() => 1), log: silentLog },
    transact: () => Promise.reject(new Error('nothing is done')),
    worker: 'w',
  })
  return { runner, bus, looks: () => looks }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('what has to wait for another job is looked at less and less often', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { runner, bus, looks } = busyElsewhere()
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at += 50) {
      t.mock.timers.tick(50)
      await settled()
    }
  }
  await runner.start()
  await settled()
  await pass(60_000)
  assert.ok(looks() < 25, `${looks()} looks within a minute`)
  const before = looks()
  // The job before it has ended, wherever that ran.
  bus.publish(JOBS_TOPIC, '')
  await settled()
  assert.equal(looks(), before + 1)
  await pass(100)
  assert.equal(looks(), before + 2, 'and soon again')
  await runner.drain(0)
})

test('a runner that was never started sets no alarm', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { runner, looks } = busyElsewhere()
  await runner.idle()
  const before = looks()
  t.mock.timers.tick(3_600_000)
  await settled()
  assert.equal(looks(), before)
})

test('a queue that cannot be read, as on a full disk, is told once a minute', async () => {
  let now = 0
  const log = createRecordingLog()
  const away = async () => {
    throw new Error('no space left')
  }
  const runner = new JobRunner({
    store: new Proxy({}, { get: () => away }) as JobStore,
    transact: away,
    bus: { publish() {}, subscribe: () => () => {}, async close() {} },
    clock: clockOf(() => now),
    log,
    worker: 'worker',
    handlers: [{ kind: 'work', summary: 'Work', timeLimit: MINUTE, maxAttempts: 1, run: async () => {} }],
  })
  const told = () => log.entries.filter(({ message }) => /queue could not be read/.test(message)).length
  for (let n = 0; n < 5; n++) await runner.idle()
  assert.equal(told(), 1)
  now += MINUTE
  await runner.idle()
  assert.equal(told(), 2)
})

/** A store with one job, whose end can be recorded only after so many attempts. */
function awayAtTheEnd(attempts: number, error: Error) {
  const seen: string[] = []
  const jobs: Partial<JobStore> = {
    reclaim: async () => {},
    latest: async () => [],
    scheduled: async () => [],
    nextDue: async () => undefined,
    claim: async () =>
      seen.length === 0 ? [{ id: 'job_1', kind: 'plain', payload: {}, key: null, attempts: 1 }] : [],
    complete: async () => {
      seen.push('completed')
      return true
    },
    retry: async () => {
      seen.push('to be retried')
      return true
    },
  }
  const runner = new JobRunner({
    ...{ store: jobs as JobStore, clock: clockOf(() => 1), log: silentLog, worker: 'w' },
    handlers: [
      {
        ...{ kind: 'plain', summary: 'Work', timeLimit: 60_000, maxAttempts: 3 },
        run: async () => void seen.push('done'),
      },
    ],
    bus: { publish: () => {}, subscribe: () => () => {}, close: async () => {} },
    transact: async (work) => {
      if (attempts-- > 0) throw error
      return work({ jobs: jobs as JobStore })
    },
  })
  return { runner, seen }
}

const away = () => new AloftError('service_unavailable', 'The database does not answer.')

test('what was done is recorded when the database is back, and not done again', async () => {
  const { runner, seen } = awayAtTheEnd(3, away())
  await runner.idle()
  assert.deepEqual(seen, ['done', 'completed'])
})

test('a process that stops does not wait for the database to come back', async () => {
  const { runner, seen } = awayAtTheEnd(Number.POSITIVE_INFINITY, away())
  const idle = runner.idle()
  while (seen.length === 0) await settled()
  await runner.drain(0)
  await idle
  assert.deepEqual(seen, ['done'])
})

test('an end that can never be recorded is a failure of the job', async () => {
  const { runner, seen } = awayAtTheEnd(Number.POSITIVE_INFINITY, new Error('no such table'))
  await runner.idle()
  assert.deepEqual(seen, ['done', 'to be retried'])
})

test('a job whose process ended each time that it was done is given up in the end; what recurs is not', async () => {
  const attempts = async (count: number, key: string | null = null) => {
    const seen: string[] = []
    let isWaiting = true
    const store: Partial<JobStore> = {
      reclaim: async () => {},
      latest: async () => [],
      scheduled: async () => [],
      nextDue: async () => undefined,
      claim: async () => {
        if (!isWaiting) return []
        isWaiting = false
        return [{ id: 'job_1', kind: 'deadly', payload: {}, key, attempts: count }]
      },
      bury: async (_id, _worker, why) => {
        seen.push(why)
        return true
      },
    }
    const runner = new JobRunner({
      ...{ store: store as JobStore, clock: clockOf(() => 1), log: silentLog, worker: 'w' },
      handlers: [
        {
          ...{ kind: 'deadly', summary: 'Work', timeLimit: MINUTE, maxAttempts: 3 },
          run: async () => void seen.push('done'),
        },
      ],
      bus: { publish: () => {}, subscribe: () => () => {}, close: async () => {} },
      transact: async () => undefined as never,
    })
    await runner.idle()
    return seen
  }
  // Three that fail, and twelve machines that are switched off, are nobody's fault.
  assert.deepEqual(await attempts(15), ['done'])
  assert.deepEqual(await attempts(24), ['the process ended each time that it did this job'])
  assert.deepEqual(await attempts(24, 'recurring:deadly'), ['done'])
})

test('the lease of a long job is extended for as long as it runs, and a job that lost its lease is aborted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  let [now, isKept] = [1000, true]
  const leases: number[] = []
  const failures: string[] = []
  const signals: AbortSignal[] = []
  const store: Partial<JobStore> = {
    reclaim: async () => {},
    latest: async () => [],
    scheduled: async () => [],
    nextDue: async () => undefined,
    claim: async () =>
      signals.length === 0 ? [{ id: 'job_1', kind: 'long', payload: {}, key: null, attempts: 1 }] : [],
    extend: async (_id, _worker, leaseUntil) => {
      leases.push(leaseUntil)
      return isKept
    },
    retry: async (_id, _worker, _at, why) => {
      failures.push(why)
      return true
    },
  }
  const runner = new JobRunner({
    ...{ store: store as JobStore, clock: clockOf(() => now), log: silentLog, worker: 'w', leaseMs: 300 },
    handlers: [
      {
        ...{ kind: 'long', summary: 'Work', timeLimit: MINUTE, maxAttempts: 3 },
        run: (_payload, { signal }) => {
          signals.push(signal)
          return new Promise(() => {})
        },
      },
    ],
    bus: { publish: () => {}, subscribe: () => () => {}, close: async () => {} },
    transact: () => Promise.reject(new Error('it does not end')),
  })
  const idle = runner.idle()
  while (signals.length === 0) await settled()
  const pass = async () => {
    now += 100
    t.mock.timers.tick(100)
    await settled()
  }
  for (let beat = 0; beat < 5; beat++) await pass()
  assert.deepEqual(leases, [1400, 1500, 1600, 1700, 1800])
  assert.equal(signals[0]?.aborted, false)
  isKept = false
  await pass()
  await idle
  assert.equal(signals[0]?.aborted, true)
  assert.deepEqual(failures, ['the lease of the job was lost'])
})
