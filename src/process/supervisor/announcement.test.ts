import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announcement } from './announcement.ts'

test('the line that programs wait for comes first, and the set-up link last', () => {
  assert.equal(announcement('http://localhost:3000', undefined), 'aloft ready http://localhost:3000\n')
  const lines = announcement('http://localhost:3000', 'secret').trimEnd().split('\n')
  assert.equal(lines[0], 'aloft ready http://localhost:3000')
  assert.equal(lines.at(-1), '  http://localhost:3000/setup?token=secret')
})
