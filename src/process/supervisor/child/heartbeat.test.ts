import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Channel } from '#adapters/ipc/channel.ts'
import { Heartbeat, type Hung, type ProcessSight } from './heartbeat.ts'

const RUNS: ProcessSight = { state: 'R', cpuMs: 0, isTraced: false }

/** A heartbeat on a clock of its own, and a process that answers when it is told to. */
function watch(
  t: TestContext,
  see: (silentMs: number) => ProcessSight | undefined = () => undefined,
  prepares = false,
) {
  const listeners: ((message: unknown) => void)[] = []
  const asked: { n: number }[] = []
  const hung: Hung[] = []
  let now = 0
  let silentSince = 0
  const channel: Channel = {
    send: (message) => void asked.push(message as { n: number }),
    onMessage: (listener) => void listeners.push(listener),
  }
  const heartbeat = new Heartbeat({
    ...{ channel, limitMs: 15_000, now: () => now, onHung: (how: Hung) => void hung.push(how) },
    see: () => see(now - silentSince),
    prepares,
  })
  t.after(() => heartbeat.stop())
  const answer = (more: object = {}) => {
    silentSince = now
    for (const listener of listeners) listener({ ...asked.at(-1), ...more })
  }
  const pass = (seconds: number, everyMs = 1000) => {
    for (let ms = 0; ms < seconds * 1000; ms += everyMs) {
      now += everyMs
      heartbeat.tick()
    }
  }
  return { heartbeat, hung, asked, answer, pass }
}

test('a process that answers is left alone, and one that falls silent is noticed once', (t) => {
  const { heartbeat, hung, answer, pass } = watch(t)
  heartbeat.serving()
  for (let n = 0; n < 100; n++) {
    pass(1)
    answer()
  }
  pass(14)
  assert.equal(hung.length, 0)
  pass(3)
  assert.equal(hung.length, 1)
  assert.ok((hung[0]?.silentMs ?? 0) >= 15_000)
})

test('time in which the supervisor was stopped or the machine slept does not count', (t) => {
  const { heartbeat, hung, answer, pass } = watch(t)
  heartbeat.serving()
  pass(1)
  pass(3600, 3_600_000)
  assert.deepEqual(hung, [])
  answer()
  pass(14)
  assert.deepEqual(hung, [])
})

test('a process under a debugger may stand still', (t) => {
  const inspected = watch(t)
  inspected.heartbeat.serving()
  inspected.pass(1)
  inspected.answer({ debugged: true })
  inspected.pass(3600)
  assert.deepEqual(inspected.hung, [])
  const traced = watch(t, () => ({ ...RUNS, state: 't', isTraced: true }))
  traced.heartbeat.serving()
  traced.pass(3600)
  assert.deepEqual(traced.hung, [])
})

test('a process that gets no processor has more time than one that uses it', (t) => {
  const starved = watch(t, (ms) => ({ ...RUNS, cpuMs: ms * 0.01 }))
  starved.heartbeat.serving()
  starved.pass(50)
  assert.deepEqual(starved.hung, [])
  starved.pass(20)
  assert.equal(starved.hung.length, 1)
  const spinning = watch(t, (ms) => ({ ...RUNS, cpuMs: ms * 0.5 }))
  spinning.heartbeat.serving()
  spinning.pass(18)
  assert.deepEqual([spinning.hung[0]?.state, spinning.hung.length], ['R', 1])
  const stopped = watch(t, () => ({ ...RUNS, state: 'T' }))
  stopped.heartbeat.serving()
  stopped.pass(18)
  assert.equal(stopped.hung.length, 1)
})

test('one that has not begun to serve has more time', (t) => {
  const starting = watch(t)
  starting.pass(170)
  assert.deepEqual(starting.hung, [])
  // The silence of its start does not count once it serves.
  starting.heartbeat.serving()
  starting.pass(13)
  assert.deepEqual(starting.hung, [])
  starting.pass(4)
  assert.equal(starting.hung.length, 1)

  const stuck = watch(t)
  stuck.pass(200)
  assert.equal(stuck.hung.length, 1)
})

test('one that brings the data up to date has half an hour, and longer while it works', (t) => {
  const preparing = watch(t, undefined, true)
  preparing.pass(29 * 60)
  assert.deepEqual(preparing.hung, [])
  // From then on it starts as any other.
  preparing.heartbeat.prepared()
  preparing.pass(170)
  assert.deepEqual(preparing.hung, [])
  preparing.pass(30)
  assert.equal(preparing.hung.length, 1)

  const working = watch(t, (ms) => ({ ...RUNS, cpuMs: ms * 0.5 }), true)
  working.pass(3 * 3600)
  assert.deepEqual(working.hung, [])

  const stuck = watch(t, (ms) => ({ ...RUNS, state: 'S', cpuMs: ms * 0.001 }), true)
  stuck.pass(31 * 60)
  assert.equal(stuck.hung.length, 1)
})

test('it tells how busy the process is; one that falls silent is, unless it is only being started', (t) => {
  const { heartbeat, answer, pass } = watch(t)
  assert.equal(heartbeat.busy, 0)
  pass(2)
  assert.equal(heartbeat.busy, 0)
  heartbeat.serving()
  answer({ busy: 0.4 })
  pass(1)
  assert.equal(heartbeat.busy, 0.4)
  pass(1)
  assert.equal(heartbeat.busy, 1)
})
