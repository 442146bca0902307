import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { mustBeAlone, planOf } from '../scripts/test/plan.ts'
import { inTurn } from '../scripts/test/pool.ts'
import { Report, type TestEvent } from '../scripts/test/report.ts'

const root = resolve(import.meta.dirname, '..')

test('every test file is run, and none twice', () => {
  const planned = planOf(root).flatMap(({ files }) => files)
  assert.deepEqual(planned.sort(), globSync('{src,test}/**/*.test.ts', { cwd: root }).sort())
})

test('a file that changes its whole process has one of its own', () => {
  const alone = planOf(root).filter(({ files }) => files.length === 1)
  const names = alone.flatMap(({ files }) => files)
  assert.ok(names.includes('src/adapters/limit-memory/memory-limiter.test.ts'))
  assert.equal(mustBeAlone('const before = process.umask(0)'), true)
  assert.equal(mustBeAlone('t.mock.fn()'), false)
})

test('what several files use has no hooks, which would be for the first of them alone', () => {
  const shared = globSync('{src,test}/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  const hooked = shared.filter((file) =>
    /^(after|before|afterEach|beforeEach)\(/m.test(readFileSync(join(root, file), 'utf8')),
  )
  // It ends the server of a file that is run by itself; otherwise there is nothing for it to do.
  assert.deepEqual(hooked, ['test/support/databases.ts'])
})

test('as many run at a time as there is room for, and those that fit do not wait for those that do not', async () => {
  const [begun, ends]: [string[], Map<string, () => void>] = [[], new Map()]
  const jobs = [
    { name: 'a', share: 1 },
    { name: 'b', share: 1 },
    { name: 'c', share: 1 },
    { name: 'd', share: 0.5 },
  ]
  const all = inTurn(jobs, 2.5, ({ name }) => {
    begun.push(name)
    return new Promise((end) => ends.set(name, end))
  })
  assert.deepEqual(begun, ['a', 'b', 'd'])
  ends.get('a')?.()
  while (!ends.has('c')) await new Promise(setImmediate)
  for (const name of ['b', 'c', 'd']) ends.get(name)?.()
  await all
  assert.deepEqual(begun, ['a', 'b', 'd', 'c'])
})

const counts = { tests: 2, suites: 1, passed: 2, failed: 0, cancelled: 0, skipped: 0, todo: 0 }
const suite = (type: string, name: string, error?: { failureType: string }): TestEvent => ({
  type,
  data: { name, nesting: 0, file: name, details: { type: 'suite', ...(error && { error }) } },
})
const summary: TestEvent = { type: 'test:summary', data: { counts } }

async function reported(
  ...runs: (readonly [events: readonly TestEvent[], suites?: readonly string[]])[]
): Promise<{ passed: boolean; text: string }> {
  const out = new PassThrough({ encoding: 'utf8' })
  const report = new Report(out)
  for (const run of runs) report.add(...run)
  const passed = await report.close()
  return { passed, text: out.read() ?? '' }
}

test('the counts of all runs are printed once, together', async () => {
  const { passed, text } = await reported([[summary]], [[suite('test:pass', 'a'), summary], ['a']])
  assert.equal(passed, true)
  assert.deepEqual(text.match(/tests \d+|pass \d+|fail \d+/g), ['tests 4', 'pass 4', 'fail 0'])
})

test('a file that could not be loaded is a failure', async () => {
  const broken = suite('test:fail', 'a', { failureType: 'testCodeFailure' })
  const { passed, text } = await reported([[broken, summary], ['a']])
  assert.equal(passed, false)
  assert.match(text, /fail 1/)
})

test('a file that was never reached is a failure', async () => {
  const { passed, text } = await reported([
    [suite('test:pass', 'a'), summary],
    ['a', 'b'],
  ])
  assert.equal(passed, false)
  assert.match(text, /✖ b/)
})

test('a run without any test is a failure', async () => {
  assert.equal((await reported([[]])).passed, false)
})
