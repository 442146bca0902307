import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { SECOND } from '#contract/time.ts'
import { ConnectionError } from '../connection-error.ts'
import { persist } from './persist.ts'

/** What a server may take to end what is under way (25 s), and to start again. */
const RESTART = 30 * SECOND

test('a server that restarts is outlasted, however the waits fall out', async () => {
  mock.method(Math, 'random', () => 0)
  let waited = 0
  const isBack = () => waited > RESTART
  const work = async () => {
    if (!isBack()) throw new ConnectionError('http://localhost:3000', 'refused')
    return 'done'
  }
  const wait = async (ms: number) => {
    waited += ms
  }
  assert.equal(await persist(work, { wait }), 'done')
  mock.restoreAll()
})

test('one that does not come back is given up', async () => {
  let tries = 0
  const work = async () => {
    tries++
    throw new ConnectionError('http://localhost:3000', 'refused')
  }
  await assert.rejects(persist(work, { wait: async () => undefined }), ConnectionError)
  assert.equal(tries, 12)
})
