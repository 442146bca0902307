import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { findRunnerSocket, runnerSocket } from './runner-socket.ts'

test('where nobody has listened yet, and nobody made the folder, the first place is tried', () => {
  const dataDir = join('/nonexistent', 'a'.repeat(100))
  assert.equal(findRunnerSocket(dataDir, undefined)(), runnerSocket(dataDir, 0))
})
