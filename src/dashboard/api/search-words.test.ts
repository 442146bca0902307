import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSearch, stringifySearch } from './search-words.ts'

test('words of an address are text, whatever they look like', () => {
  for (const value of [
    '1.10',
    '007',
    '1e5',
    '12345678901234567890',
    'true',
    'null',
    '"quoted"',
    '{"a":1}',
    'a b&c=d+é',
  ])
    assert.deepEqual(parseSearch(stringifySearch({ q: value })), { q: value })
  assert.deepEqual(parseSearch('?branch=1.10&project=shop'), { branch: '1.10', project: 'shop' })
})

test('what is not there is not written', () => {
  assert.equal(stringifySearch({}), '')
  assert.equal(stringifySearch({ q: undefined }), '')
})
