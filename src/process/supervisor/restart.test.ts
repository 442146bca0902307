import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createRecordingLog } from '#test/support/recording-log.ts'
import type { ActivityNotes } from './child/activity.ts'
import { SupervisedChild } from './child/child.ts'
import { createRestart, RestartRefused } from './restart.ts'

const PROCESS = join(import.meta.dirname, '../../../test/support/process/supervised-process.ts')
/** A program that ends before it has begun. */
const BROKEN = join(import.meta.dirname, 'no-such-program.ts')

/** Processes that run, and those that are to take their place. */
async function running(t: TestContext, programs: readonly string[], isStopping = () => false) {
  const log = createRecordingLog()
  const create = (role: 'serve' | 'work', program: string) =>
    new SupervisedChild({
      ...{ role, name: role, seat: 0, program, log, onStart: () => () => {}, hangMs: 0 },
      onStillborn: () => assert.fail('only those that are begun anew may fail'),
      fork: (_role, activity: ActivityNotes, path: string) =>
        fork(path, ['drain'], { stdio: ['ignore', 'inherit', 'ignore', 'ipc', activity.fd] }),
    })
  const before = [create('serve', PROCESS), create('work', PROCESS)]
  const children = [...before]
  t.after(() => Promise.all(children.map((child) => child.stop(100))))
  await Promise.all(before.map((child) => child.start()))
  const told: string[] = []
  const ended = Promise.withResolvers<void>()
  const restart = createRestart({
    ...{ children, log, check: () => {}, isStopping },
    create: () => ({
      processes: programs.map((program, i) => create(i === 0 ? 'work' : 'serve', program)),
      onReady: () => told.push('ready'),
      onTaken: () => told.push('taken'),
      onEnded() {
        told.push('ended')
        ended.resolve()
      },
    }),
  })
  const pids = () => children.map(({ facts }) => facts?.pid)
  return { children, before, restart, log, told, pids, ended: ended.promise }
}

test('new processes take the place of the old ones, which then end', async (t) => {
  const { children, before, restart, told, ended } = await running(t, [PROCESS, PROCESS])
  await restart.now()
  assert.deepEqual(told.slice(0, 3), ['ready', 'ready', 'taken'])
  await ended
  assert.equal(children.length, 2)
  assert.ok(before.every((child) => !children.includes(child) && child.facts === undefined))
  assert.equal(restart.isUnderWay(), false)
})

for (const [which, programs] of [
  ['the first', [BROKEN, PROCESS]],
  ['the last', [PROCESS, BROKEN]],
] as const)
  test(`where ${which} of the new processes cannot start, the old ones go on as if nothing had happened`, async (t) => {
    const { children, before, restart, log, told, pids } = await running(t, programs)
    const old = pids()
    await assert.rejects(restart.now(), RestartRefused)
    assert.deepEqual([children, pids()], [before, old])
    assert.ok(!told.includes('taken'))
    await log.saw(/nothing was restarted/)
    assert.equal(restart.isUnderWay(), false)
  })

test('once everything is to end, no more new processes are begun', async (t) => {
  let begun = 0
  const { children, before, restart, told } = await running(t, [PROCESS, PROCESS], () => begun++ > 0)
  await assert.rejects(restart.now(), RestartRefused)
  assert.deepEqual(told, ['ready', 'ended'])
  assert.deepEqual(children, before)
})
