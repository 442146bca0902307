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

test('in a repository of several packages, the error of the package is found before what its runners say of it', () => {
  const turbo = [
    '@acme/ui:build: done',
    'web:build: error during build:',
    'web:build: main.js (1:7): "default" is not exported by "ui.js"',
    'web:build:     at getRollupError (file:///x.js:355:41)',
    'web:build: ',
    'web:build: npm error Lifecycle script `build` failed with error:',
    'web:build: npm error code 1',
    'web:build: npm error path /x/apps/web',
    'web:build: npm error command sh -c vite build',
    'web#build:  ERROR  command (/x/apps/web) npm run build exited (1)',
    ' WARNING  no output files found for task @acme/ui#build.',
    '',
    ' Tasks:    1 successful, 2 total',
    'Failed:    web#build',
    '',
    ' ERROR  run failed: command  exited (1)',
  ]
  assert.deepEqual(numbers(...turbo), [2, 3])
  const pnpm = [
    'apps/web build: src/a.ts(1,7): error TS2322: Type is wrong.',
    'apps/web build: Failed',
    ...Array.from({ length: 9 }, () => 'apps/docs build: working'),
    '/x/apps/web:',
    ' ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  web@0.0.0 build: `tsc`',
    'Exit status 2',
    ' ELIFECYCLE  Command failed with exit code 1.',
  ]
  assert.deepEqual(numbers(...pnpm).slice(0, 2), [1, 2])
})

test('what a framework says is found before that its command failed', () => {
  const next = [
    '> Build error occurred',
    'Error: Turbopack build failed with 1 error:',
    '[next]/internal/font/google/geist.module.css',
    'Error: next/font: error:',
    'Failed to fetch Geist from Google Fonts.',
    'If you are offline or behind a proxy, self-host the font with next/font/local.',
    '',
    'Import trace:',
    '  Server Component:',
    '    [next]/internal/font/google/geist.module.css',
    '    ./app/layout.tsx',
    '',
    '',
    '    at ignore-listed frames',
    'Error: Command "npm run build" exited with 1',
    'Error: Command "vercel build (nextjs)" exited with 1',
  ]
  assert.deepEqual(numbers(...next), [2, 3, 4, 5, 6])
})

test('what a runner says stands for an error that nobody else mentions', () => {
  assert.deepEqual(numbers('one', ' ELIFECYCLE  Command failed with exit code 1.'), [2])
})

test('lines that keep an expression guessing are looked at like any other', () => {
  const lines = Array.from({ length: 2000 }, () => `error:${'#'.repeat(16_000)}`)
  assert.equal(numbers(...lines, 'done').length, 6)
})
