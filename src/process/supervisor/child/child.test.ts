import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createRecordingLog } from '#test/support/recording-log.ts'
import type { ActivityNotes } from './activity.ts'
import { pauseAfter, SupervisedChild } from './child.ts'

const PROCESS = join(import.meta.dirname, '../../../../test/support/process/supervised-process.ts')

/** A kept process whose lives do one after the other as they are told. */
async function keep(
  t: TestContext,
  lives: readonly string[],
  look: (activity: ActivityNotes) => unknown = () => {},
) {
  const started: ChildProcess[] = []
  let failed = 0
  const back = Promise.withResolvers<void>()
  const log = createRecordingLog()
  const child = new SupervisedChild({
    ...{ role: 'serve', name: 'serve-1', seat: 0, program: '', log, onStart: () => () => {}, hangMs: 1500 },
    onStillborn: () => back.reject(new Error('it ended before it was ready')),
    fork: (_role, activity) => {
      look(activity)
      const life = lives[started.length + failed] ?? 'idle'
      if (life === 'throws') {
        failed++
        throw new Error('spawn EPERM')
      }
      const forked = fork(PROCESS, [life], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc', activity.fd],
        ...(life === 'not found' ? { execPath: '/nonexistent/node' } : {}),
      })
      started.push(forked)
      forked.on('message', () => started.length > 1 && back.resolve())
      return forked
    },
  })
  t.after(() => child.stop(100))
  await Promise.race([child.start(), back.promise])
  return { child, started, log, back: back.promise }
}

test('a process that spins is killed and replaced, and the log says what it did', async (t) => {
  const { child, started, log, back } = await keep(t, ['spin'])
  await back
  assert.equal(started[0]?.signalCode, 'SIGKILL')
  assert.deepEqual([child.facts?.restarts, child.facts?.hangs], [1, 1])
  const { doing, child: name } = (await log.saw(/stopped responding/)).fields as Record<string, unknown>
  assert.deepEqual([name, doing], ['serve-1', 'job that.spins 1'])
})

test('so is one that was stopped', {
  skip: process.platform === 'win32' && 'there are no signals',
}, async (t) => {
  const { child, started, back } = await keep(t, [])
  process.kill(started[0]?.pid as number, 'SIGSTOP')
  await back
  assert.deepEqual([child.facts?.restarts, child.facts?.hangs], [1, 1])
})

for (const way of ['throws', 'not found'])
  test(`one that cannot be started again is tried again later: it ${way}`, async (t) => {
    const { started, log, back } = await keep(t, ['idle', way, way])
    started[0]?.kill('SIGKILL')
    await back
    assert.equal(log.entries.filter(({ message }) => message === 'a process could not be started').length, 2)
  })

for (const way of ['throws', 'not found'])
  test(`one that cannot be started at all is told of, and is over: it ${way}`, async (t) => {
    await assert.rejects(keep(t, [way]), /before it was ready/)
  })

test('nor can one be started where nothing can be noted of it', async (t) => {
  const { TMPDIR } = process.env
  process.env.TMPDIR = '/nonexistent'
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  await assert.rejects(keep(t, []), /before it was ready/)
})

test('of one that was never ready no descriptor is left', async (t) => {
  const closed: number[] = []
  const look = (activity: ActivityNotes) =>
    t.mock.method(activity, 'close', () => {
      closed.push(activity.fd)
      closeSync(activity.fd)
    })
  await assert.rejects(keep(t, ['not found'], look), /before it was ready/)
  assert.equal(closed.length, 1)
})

test('it is stopped once, whoever else asks for that meanwhile or later', async (t) => {
  const { child, started } = await keep(t, [])
  await Promise.all([child.stop(100), child.stop(100)])
  assert.notEqual(started[0]?.exitCode ?? started[0]?.signalCode, null)
  await child.stop(100)
})

test('what dies while it starts is started again later each time, and what was of use at once', () => {
  const neverReady = Number.NEGATIVE_INFINITY
  const pauses: number[] = []
  while (pauses.length < 10) pauses.push(pauseAfter(pauses.at(-1), neverReady))
  assert.deepEqual(pauses, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000])
  assert.equal(pauseAfter(10_000, 1000), 10_000, 'ready for a second is no use')
  assert.equal(pauseAfter(10_000, 6000), 100)
})
