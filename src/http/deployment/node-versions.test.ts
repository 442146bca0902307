import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseNode } from './node-versions.ts'

const CASES: readonly (readonly [range: unknown, version: string, isFound: boolean])[] = [
  [undefined, '24.21.0', true],
  ['', '24.21.0', true],
  ['8', '8.10.0', true],
  [12, '12.22.12', true],
  ['>= 16.0.0 < 17', '16.20.2', true],
  ['1 - 8', '8.10.0', true],
  ['^10 || ^8', '10.24.1', true],
  ['<=18.0.0-rc.1', '16.20.2', true],
  ['>=10,<12', '10.24.1', true],
  ['lts/*', '24.21.0', true],
  ['99', '24.21.0', false],
  ['banana', '24.21.0', false],
]

for (const [range, version, isFound] of CASES)
  test(`${JSON.stringify(range)} gives ${version}, ${isFound ? 'found' : 'in its place'}`, () => {
    const { version: chosen, found } = chooseNode(range)
    assert.deepEqual([chosen, found], [version, isFound])
  })
