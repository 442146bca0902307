import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usernameFor } from './user.ts'

test('a username begins with a letter and ends as a host name may', () => {
  for (const [local, username] of [
    ['Ada.Lovelace', 'ada-lovelace'],
    ['1st', 'u-1st'],
    ['+', 'u'],
    [`${'a'.repeat(42)}.and.more`, 'a'.repeat(42)],
    [`1${'a'.repeat(39)}..more`, `u-1${'a'.repeat(39)}`],
    ['a'.repeat(64), 'a'.repeat(43)],
  ] as const)
    assert.equal(usernameFor(`${local}@aloft.test`), username)
})
