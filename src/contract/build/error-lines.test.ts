import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BuildLine, errorLinesOf } from './error-lines.ts'

const logOf = (...texts: readonly string[]): BuildLine[] =>
  texts.map((text, i) => ({
    type: text.startsWith('$ ') ? 'command' : 'stdout',
    created: i,
    payload: { id: String(i), serial: String(i), text },
  }))

const numbers = (...texts: readonly string[]) => errorLinesOf(logOf(...texts)).map(({ number }) => number)

test('the last errors of a log are found, without stack frames and success', () => {
  const lines = [
    '$ npm run build',
    'found 0 errors in 12 files',
    'warning: old syntax',
    '\u001b[31merror\u001b[39m Cannot find module "./shop"',
    '    at resolve (/src/index.js:3:1)',
    '    at main (/src/index.js:9:1)',
    'npm error code ELIFECYCLE',
    'done in 3 s',
  ]
  assert.deepEqual(numbers(...lines), [4, 7, 8])
})

test('an error of long ago does not stand for the end', () => {
  const lines = ['Error: retrying', ...Array.from({ length: 20 }, (_, i) => `step ${i}`), 'Error: the disk']
  assert.deepEqual(numbers(...lines), [22])
})

test('without an error the end is quoted, and nothing of an empty log', () => {
  assert.deepEqual(numbers('one', 'two', '', 'three', 'four'), [2, 4, 5])
  assert.deepEqual(numbers(), [])
})

test('what is said already is not quoted again', () => {
  const log = logOf('npm error code E404', 'Error: npm install failed.')
  assert.deepEqual(
    errorLinesOf(log, 0, 'npm install failed.').map(({ number }) => number),
    [1],
  )
})

test('lines are numbered as the log shows them', () => {
  assert.equal(errorLinesOf(logOf('error: no'), 100)[0]?.number, 101)
})
