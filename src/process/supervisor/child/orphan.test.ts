import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'

const PROCESS = join(import.meta.dirname, '../../../../test/support/process/orphaned-process.ts')

test('a process whose supervisor died ends, even if what it has begun does not', async () => {
  const child = fork(PROCESS)
  await once(child, 'message')
  child.disconnect()
  assert.deepEqual(await once(child, 'exit'), [1, null])
})
