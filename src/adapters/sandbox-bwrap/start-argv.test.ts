import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rlimitArgs } from './start-argv.ts'

const LIMITS = { memoryBytes: 2 ** 26, cpus: 1, processes: 16, wallMs: 1000, tmpBytes: 2 ** 20 }
const UNLIMITED = 'Max data size             unlimited            unlimited            bytes\n'

test('a user of its own has the processes of one run', () => {
  assert.deepEqual(rlimitArgs(LIMITS, UNLIMITED, { isOwnUser: false }), [
    '--data=67108864:67108864',
    '--nproc=16:16',
  ])
})

test('the user of the platform keeps room for the platform, below what the machine allows it', () => {
  const nproc = (limits: string) => rlimitArgs(LIMITS, limits, { isOwnUser: true })[1]
  assert.equal(nproc(UNLIMITED), '--nproc=4096:4096')
  assert.equal(
    nproc('Max processes             900                  1000                 processes\n'),
    '--nproc=1000:1000',
  )
})
