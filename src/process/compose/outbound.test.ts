import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLookUp } from './outbound.ts'

test('whoever looks up names in a process shares what is known of /etc/hosts', () => {
  assert.equal(openLookUp(), openLookUp())
})
