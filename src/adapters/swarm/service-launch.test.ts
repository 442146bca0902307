import assert from 'node:assert/strict'
import { it } from 'node:test'
import { endedIn } from './service-launch.ts'
import type { Task } from './swarm-types.ts'

const task = (ID: string, State: string, DesiredState = 'shutdown'): Task => ({
  ...{ ID, ServiceID: 's', NodeID: 'n', DesiredState, Status: { State } },
  CreatedAt: `2026-11-17T10:00:0${ID}.5Z`,
})

it('finds the task that ended though another is in its place already', () => {
  const failed = task('1', 'failed')
  assert.equal(endedIn([task('2', 'ready', 'ready'), failed], undefined, undefined), failed)
  assert.equal(endedIn([task('2', 'ready', 'ready'), failed], failed, undefined), failed)
  // The first to end is the one that tells why.
  const tasks = [task('3', 'running', 'running'), task('2', 'failed'), failed]
  assert.equal(endedIn(tasks, undefined, undefined), failed)
})

it('takes neither one that runs nor one that was moved for an end', () => {
  const tasks = [task('3', 'running', 'running'), task('2', 'rejected'), task('1', 'shutdown')]
  assert.equal(endedIn(tasks, undefined, undefined), undefined)
})

it('does not listen to what a node that came back tells of a task that was left there', () => {
  const left = task('1', 'failed')
  assert.equal(endedIn([task('2', 'preparing', 'running'), left], undefined, left), undefined)
  const current = task('2', 'running', 'running')
  assert.equal(endedIn([current, left], current, left), undefined)
  assert.equal(endedIn([current, left], current, undefined), undefined)
  const complete = task('2', 'complete')
  assert.equal(endedIn([task('3', 'ready', 'ready'), complete, left], current, left), complete)
})
