import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildHint } from './build-hint.ts'

const CAUSES = [
  [
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'lodash' imported from /x/build.mjs",
    /package lodash isn/,
  ],
  ["Error: Cannot find module 'lodash/fp'", /`npm install lodash`/],
  ["Module not found: Error: Can't resolve '@acme/ui' in '/x/src'", /`npm install @acme\/ui`/],
  ['[vite]: Rollup failed to resolve import "dayjs" from "/x/src/main.js".', /`npm install dayjs`/],
  ["Module not found: Can't resolve './Header'", /upper and lower case/],
  ["Error: Cannot find module '/vercel/path0/build.js'", /imported file wasn’t found/],
  ['sh: 1: vite: not found', /command vite isn/],
  ['sh: line 1: next: command not found', /command next isn/],
  [
    'FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory',
    /max-old-space-size/,
  ],
  ["src/a.ts(3,1): error TS2304: Cannot find name 'x'.", /tsc --noEmit/],
  ["Type error: Property 'a' does not exist on type '{}'.", /tsc --noEmit/],
  ['npm error code ERESOLVE', /legacy-peer-deps/],
  [
    'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
    /lock file/,
  ],
  ['npm error Unsupported URL Type "workspace:": workspace:*', /Deploy the whole workspace/],
  [
    'ERR_PNPM_WORKSPACE_PKG_NOT_FOUND  In apps/web: "@acme/ui@workspace:*" is in the dependencies',
    /whole workspace/,
  ],
  ['➤ YN0000: │ Error: @acme/ui@workspace:*: Workspace not found (@acme/ui@workspace:*)', /whole workspace/],
  ['ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"', /lock file/],
  ['npm error code EBADENGINE', /Node.js version/],
  ['ERROR: No matching distribution found for flask==99', /Python package flask wasn/],
  ['API_SECRET is missing', /`aloft env add API_SECRET`/],
  ['Error: Environment variable "DATABASE_URL" is not set', /`aloft env add DATABASE_URL`/],
  ['✗ Missing required environment variable: TOKEN', /`aloft env add TOKEN`/],
] as const

for (const [line, hint] of CAUSES)
  test(`what to try after “${line.slice(0, 60)}”`, () => {
    assert.match(buildHint('build_failed', ['> build', line]), hint)
  })

test('a name that the code does not declare is taken for no environment variable', () => {
  for (const line of [
    'ReferenceError: MAX_ITEMS is not defined',
    "NameError: name 'MAX_ITEMS' is not defined",
    "  3:1  error  'MAX_ITEMS' is not defined  no-undef",
  ])
    assert.doesNotMatch(buildHint('build_failed', [line]), /environment variable/, line)
})

test('a failure that is known exactly keeps its own hint', () => {
  const lines = ["Cannot find module 'lodash'"]
  assert.match(buildHint('build_timeout', lines), /^Make the build faster/)
  assert.match(buildHint('build_failed', ['exit 1']), /^See the last lines/)
  assert.match(buildHint('install_failed', ['npm error code E404']), /^A package couldn’t be installed/)
})

/** What is said of a failure where nothing is known about it. */
const UNKNOWN = buildHint('no such code')

const BUILDS = fileURLToPath(new URL('../..', import.meta.url))

test('each code that a build fails with has a hint of its own', () => {
  const sources = globSync('{builder,core,adapters}/**/*.ts', { cwd: BUILDS, exclude: ['**/*.test.ts'] })
  const codes = sources.flatMap((path) =>
    [...readFileSync(join(BUILDS, path), 'utf8').matchAll(/new BuildFailure\(\s*'(\w+)'/g)].map(
      ([, code]) => code,
    ),
  )
  assert.ok(codes.includes('unknown_program') && codes.includes('bad_file'))
  assert.deepEqual(
    codes.filter((code) => buildHint(code) === UNKNOWN),
    [],
  )
})
