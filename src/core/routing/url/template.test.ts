import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandTemplate, parseTemplate, splitTemplate } from './template.ts'

const names = new Map([
  ['user', 1],
  ['id', 2],
])
const expand = (text: string, groups: readonly (string | undefined)[] = ['one', 'two']) =>
  expandTemplate(parseTemplate(text, names), groups, (group) => group, 100)

const CASES: readonly (readonly [template: string, text: string, why: string])[] = [
  ['/a/$1/$2', '/a/one/two', 'numbered groups'],
  ['$user-$id', 'one-two', 'named groups'],
  ['$10', 'one0', 'groups have one digit'],
  ['$3|$9', '|', 'a group that is not there is empty'],
  ['$nobody!', '!', 'a name that no group has is empty'],
  ['$user_id', 'one_id', 'the longest beginning that is a name counts'],
  ['$users', 'ones', 'and what follows it is text'],
  ['$0 $$ $ $-', '$0 $$ $ $-', 'any other dollar sign is text'],
  ['$$1', '$one', 'also before a group'],
  ['', '', 'an empty template'],
]

for (const [template, text, why] of CASES)
  test(`template ${JSON.stringify(template)}: ${why}`, () => assert.equal(expand(template), text))

test('a group that took no part in the match is empty', () => assert.equal(expand('<$1>', [undefined]), '<>'))

test('captured text is not read as a template', () => assert.equal(expand('$1', ['$2', 'x']), '$2'))

test('an expansion beyond the limit is not made', () =>
  assert.equal(expand('$1$1', ['x'.repeat(60)]), undefined))

test('a template is split at its own text only', () => {
  assert.deepEqual(splitTemplate(parseTemplate('/a$1b?c$2?', names), /\?/), [
    ['/a', 1, 'b'],
    ['?c', 2, '?'],
  ])
  assert.deepEqual(splitTemplate([1], /\?/), [[1], undefined])
})
