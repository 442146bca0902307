import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInHand } from './entity-tag.ts'

test('a tag is in hand if it is in the list, weak or strong, commas within quotes included', () => {
  for (const [list, tag] of [
    ['"a"', '"a"'],
    ['W/"a"', '"a"'],
    ['"a"', 'W/"a"'],
    ['"x" , "a,b"', '"a,b"'],
    ['*', '"a"'],
    ['a', 'a'],
  ] as const)
    assert.ok(isInHand(list, tag), `${list} ${tag}`)
  for (const list of ['"b"', 'a', '"a" "b', '"x,"a""', '']) assert.ok(!isInHand(list, '"a"'), list)
})
