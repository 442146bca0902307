import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preferredType } from './preferred-type.ts'

const CASES: readonly (readonly [string | undefined, string])[] = [
  [undefined, 'text/plain'],
  ['*/*', 'text/plain'],
  ['', 'text/plain'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['application/json', 'application/json'],
  ['application/json, text/plain, */*', 'application/json'],
  ['text/html;q=0.1, application/json', 'application/json'],
  ['TEXT/HTML', 'text/html'],
  ['text/*', 'text/html'],
  ['text/html;q=0, text/*', 'text/plain'],
  ['image/png', 'text/plain'],
  ['application/json;q=0', 'text/plain'],
  ['text/html;q=many, application/json;q=0.1', 'application/json'],
  ['text/html;q=1.5, application/json;q=0.1', 'application/json'],
  ['text/html;level=1;q=0.5, application/json;q=0.4', 'text/html'],
]

for (const [accept, expected] of CASES)
  test(`Accept ${JSON.stringify(accept)} prefers ${expected}`, () =>
    assert.equal(preferredType(accept, ['text/html', 'application/json', 'text/plain']), expected))
