import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesIn } from './node-version.ts'

const CASES: readonly (readonly [string, string | undefined])[] = [
  ['20.x', '20.x'],
  ['20', '20.x'],
  ['v18.17.1', '18.x'],
  ['>=18', '24.x'],
  ['>=18 <21', '20.x'],
  ['>= 16.0.0 < 17', '16.x'],
  ['^18.12.0 || ^20.9.0', '20.x'],
  ['^20.9 || ^18', '20.x'],
  ['~14.17', '14.x'],
  ['8.10.x', '8.10.x'],
  ['8', '8.10.x'],
  ['8.11.x', undefined],
  ['10 - 12', '12.x'],
  ['*', '24.x'],
  ['', '24.x'],
  ['x', '24.x'],
  ['<=12', '12.x'],
  ['<12', '10.x'],
  ['>22', '24.x'],
  ['>=18.0.0-rc.1', '24.x'],
  ['lts/*', '24.x'],
  ['6.x', undefined],
  ['>=99', undefined],
  ['>=20 <20', undefined],
  ['banana', undefined],
  ['18 || banana', undefined],
  ['1'.repeat(300), undefined],
]

for (const [range, line] of CASES)
  test(`${JSON.stringify(range.slice(0, 20))} gives ${line ?? 'nothing'}`, () => {
    assert.equal(linesIn(range)[0], line)
  })
