import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { isStale, nextOwner, ownerName } from './owner-name.ts'

test('what a process left is stale once it is gone, and not before', () => {
  const { pid } = spawnSync('true')
  assert.equal(isStale(ownerName({ pid, opening: 0 })), true)
  assert.equal(isStale(`${ownerName({ pid, opening: 3 })}-12`), true)
  assert.equal(isStale(ownerName(nextOwner())), false)
})

test('what was left by those whose processes cannot be seen from here is nobody’s to clear', () => {
  const { pid } = spawnSync('true')
  const name = ownerName({ pid, opening: 0 })
  assert.equal(isStale(name.replace(/^aloft-\w+/, 'aloft-abc123')), false)
  assert.equal(isStale('aloft-ab12'), false)
})
