import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeQuery } from './query.ts'

const CASES: readonly (readonly [request: string, over: string, merged: string])[] = [
  ['', '', ''],
  ['a=1', '', 'a=1'],
  ['', 'b=2', 'b=2'],
  ['a=1&b=2', 'b=3&c=4', 'a=1&b=3&c=4'],
  ['a=1&a=2&b=1', 'a=3', 'b=1&a=3'],
  ['a+b=1&c%64=2', 'a%20b=x&cd=y', 'a%20b=x&cd=y'],
  ['flag&&x=%zz', 'flag=1', 'x=%zz&flag=1'],
  ['%zz=1', '%zz=2', '%zz=2'],
  ['a=%2B+x', 'b=1', 'a=%2B+x&b=1'],
]

for (const [request, over, merged] of CASES)
  test(`"${over}" over "${request}" is "${merged}"`, () => assert.equal(mergeQuery(request, over), merged))
