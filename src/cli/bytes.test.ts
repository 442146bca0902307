import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showBytes } from './bytes.ts'

test('sizes have three digits at the most', () => {
  assert.deepEqual([0, 999, 1000, 1440, 99_940, 99_950, 999_499, 999_500, 5e9].map(showBytes), [
    '0 B',
    '999 B',
    '1.0 kB',
    '1.4 kB',
    '99.9 kB',
    '100 kB',
    '999 kB',
    '1.0 MB',
    '5.0 GB',
  ])
})
