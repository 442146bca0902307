import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { writeOthers } from '../scripts/test/authorities.ts'
import {
  describeCores,
  ofEndedChildren,
  slowest,
  timeline,
  timesOf,
  timesOfCores,
} from '../scripts/test/costs.ts'
import {
  hasDatabase,
  mustBeAlone,
  planOf,
  TIMES_FILE,
  timeoutMsOf,
  withSeveral,
} from '../scripts/test/plan.ts'
import { inTurn } from '../scripts/test/pool.ts'
import { openProgress } from '../scripts/test/progress.ts'
import { Report, type TestEvent } from '../scripts/test/report.ts'
import { splitByFile } from '../scripts/test/retry.ts'

const root = resolve(import.meta.dirname, '..')

test('every test file is run, and none twice', () => {
  const planned = planOf(root).flatMap(({ files }) => files)
  assert.deepEqual(planned.sort(), globSync('{src,test}/**/*.test.ts', { cwd: root }).sort())
})

test('what has a database is run on PostgreSQL and several processes as well', () => {
  const planned = planOf(root, hasDatabase(root)).flatMap(({ files }) => files)
  const folders = planned.map((file) => file.split('/').slice(0, 2).join('/'))
  const all = ['acme', 'api', 'attacks', 'dashboard', 'dns', 'e2e', 'faults', 'ports', 'upgrade']
  for (const folder of all) assert.ok(folders.includes(`test/${folder}`), folder)
  assert.ok(planned.includes('src/core/build/build-job.test.ts'))
  for (const file of [
    'src/core/log/serial.test.ts',
    'test/ports/sandbox/sandbox.test.ts',
    'test/e2e/command-line/dev.test.ts',
  ])
    assert.equal(planned.includes(file), false, file)
})

test('with several servers fewer files run beside each other, and each may take longer', () => {
  const [file, unit] = ['test/e2e/start.test.ts', { name: 'a', files: ['a'], share: 0.4 }]
  assert.deepEqual(
    withSeveral([unit, { ...unit, share: 0.7 }]).map(({ share }) => share),
    [0.8, 1],
  )
  assert.equal(timeoutMsOf(file, 3), 3 * timeoutMsOf(file, 1))
})

test('a run that was ended early is gone on with, and another begins anew', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-progress-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'cache/passed.txt')
  const hasPassed = (goesOn: boolean) => {
    const progress = openProgress(path, goesOn)
    return ['a', 'b', 'c'].filter((file) => progress.has(file))
  }
  assert.deepEqual(hasPassed(true), [])
  const first = openProgress(path, false)
  first.passed(['a'])
  first.passed([])
  assert.deepEqual(hasPassed(true), ['a'])
  openProgress(path, true).passed(['b'])
  assert.deepEqual(hasPassed(true), ['a', 'b'])
  assert.deepEqual(hasPassed(false), [])
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
  assert.deepEqual(hooked, ['test/support/database/databases.ts'])
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

test('when the machine has little to do, one more is begun than fits', async () => {
  const [begun, ends]: [string[], Map<string, () => void>] = [[], new Map()]
  const looks: (() => void)[] = []
  const all = inTurn(
    ['a', 'b', 'c', 'd'].map((name) => ({ name, share: 1 })),
    1,
    ({ name }) => {
      begun.push(name)
      return new Promise((end) => ends.set(name, end))
    },
    () => new Promise((resolve) => looks.push(resolve)),
  )
  const turn = () => new Promise(setImmediate)
  await turn()
  assert.deepEqual(begun, ['a'])
  while (begun.length < 3) {
    looks.at(-1)?.()
    await turn()
  }
  // However little that is, there is an end to it.
  for (const look of looks) look()
  await turn()
  assert.deepEqual(begun, ['a', 'b', 'c'])
  while (begun.length < 4 || ends.size > 0) {
    for (const [name, end] of ends) {
      ends.delete(name)
      end()
    }
    await turn()
  }
  await all
})

test('the longest are begun first, and processes of many files have about the same to do', () => {
  const times: Readonly<Record<string, number>> = JSON.parse(readFileSync(TIMES_FILE, 'utf8'))
  const units = planOf(root)
  const seconds = units.map(({ files }) => files.reduce((sum, file) => sum + (times[file] ?? 1), 0))
  assert.deepEqual(
    seconds,
    seconds.toSorted((a, b) => b - a),
  )
  const ports = seconds.filter((_, n) => units[n]?.name.startsWith('ports '))
  const longest = Math.max(
    ...Object.entries(times).flatMap(([file, time]) => (file.startsWith('test/ports/') ? time : [])),
  )
  assert.ok(Math.max(...ports) - Math.min(...ports) <= longest)
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

test('of a process of many files, those that failed and the one it ended in are run again, and the rest for the first time', () => {
  const passing = (name: string): TestEvent => ({ type: 'test:pass', data: { name, nesting: 1 } })
  const { kept, again, notBegun } = splitByFile(
    [
      passing('one of a'),
      suite('test:pass', 'a'),
      passing('one of b'),
      { type: 'test:fail', data: { name: 'other of b', nesting: 1 } },
      suite('test:fail', 'b', { failureType: 'subtestsFailed' }),
      { type: 'test:pass', data: { name: 'one of c', nesting: 1, skip: true } },
      suite('test:pass', 'c'),
      { type: 'test:fail', data: { name: 'the process', nesting: 0 } },
      summary,
    ],
    ['a', 'b', 'c', 'd', 'e', 'f'],
  )
  assert.deepEqual(again, ['b', 'd'])
  assert.deepEqual(notBegun, ['e', 'f'])
  assert.deepEqual(
    kept.flatMap(({ data }) => data.name ?? []),
    ['one of a', 'a', 'one of c', 'c'],
  )
  const { tests, suites, passed, skipped, failed } = kept.at(-1)?.data.counts ?? {}
  assert.deepEqual([tests, suites, passed, skipped, failed], [2, 2, 1, 1, 0])
})

test('a process that failed though none of its files did leaves nothing to be believed', () => {
  const events = [
    suite('test:pass', 'a'),
    suite('test:pass', 'b'),
    suite('test:fail', 'the process'),
    summary,
  ]
  assert.deepEqual(splitByFile(events, ['a', 'b']), { kept: [], again: ['a', 'b'], notBegun: [] })
})

/** What a process of these files prints. A file whose name begins with `waits` is given little time. */
function runBatch(t: { after(end: () => void): void }, bodies: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-batch-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const files = Object.entries(bodies).map(([name, body]) => {
    const file = join(folder, `${name}.test.mjs`)
    writeFileSync(file, `import { describe, test } from 'node:test'\n${body}\n`)
    return file
  })
  const program = `import { runFiles } from ${JSON.stringify(join(root, 'scripts/test/batch.ts'))}
await runFiles(${JSON.stringify(join(folder, 'costs'))}, ${JSON.stringify(files)}, (file) => file.includes('waits') ? 200 : 60_000)`
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return spawnSync(process.execPath, ['--test-reporter=tap', '--input-type=module', '-e', program], {
    encoding: 'utf8',
    env,
  })
}

test('a file that waits for what never comes fails after a while, and the files behind it are run', (t) => {
  const { status, stdout } = runBatch(t, {
    waits: "test('waits', () => new Promise(() => {}))",
    passes: "test('passes', () => {})",
  })
  assert.equal(status, 1, stdout)
  assert.match(stdout, /^not ok 1 - .*waits/m)
  assert.match(stdout, /^ok 2 - .*passes/m)
})

test('what nobody catches fails the test that began it, and tests belong to the suite that names them', (t) => {
  const later = 'await new Promise((done) => setTimeout(done, 50))'
  const { status, stdout } = runBatch(t, {
    strays: `describe('outer', async () => {
  ${later}
  test('timer', async () => { setTimeout(() => { throw new Error('a') }, 1); ${later} })
  test('promise', async () => { Promise.resolve().then(() => { throw new Error('b') }); ${later} })
  test('socket', async (t) => {
    const { createServer } = await import('node:net')
    const server = createServer(() => { throw new Error('c') })
    t.after(() => server.close())
    await new Promise((done) => server.listen(0, done))
    const client = (await import('node:net')).connect(server.address().port)
    t.after(() => client.destroy())
    await new Promise(() => {})
  })
  test('innocent', async (t) => { ${later}; await t.test('inner', async () => { ${later} }) })
})`,
    passes: "test('passes', () => {})",
  })
  assert.equal(status, 1, stdout)
  const lines = stdout.match(/^ *(not )?ok \d+ - (?!\/).*$/gm)?.map((line) => line.trimEnd())
  assert.deepEqual(lines, [
    '        not ok 1 - timer',
    '        not ok 2 - promise',
    '        not ok 3 - socket',
    '            ok 1 - inner',
    '        ok 4 - innocent',
    '    not ok 1 - outer',
    '    ok 1 - passes',
  ])
  assert.match(stdout, /^ok 2 - .*passes/m)
})

test('the slowest files are printed, and what all of them cost', () => {
  const costs = ['a', 'b', 'c'].map((file, n) => ({ file, seconds: n * 10, cpu: n }))
  const printed = slowest(costs, 2, 90)
  assert.match(printed, /20\.0 +2\.0 +c\n +10\.0 +1\.0 +b\n1\.5 minutes of CPU in all\n$/)
  assert.deepEqual(JSON.parse(timesOf(costs)), { b: 10, c: 20 })
})

test('what ran when is listed in the order of its begin, and what the cores did is told', () => {
  const costs = [
    { file: 'later', seconds: 2, cpu: 1, begun: 5000 },
    { file: 'first', seconds: 10, cpu: 3, begun: 1000 },
  ]
  assert.match(timeline(costs), /\n +0\.0 +10\.0 +3\.0 +first\n +4\.0 +2\.0 +1\.0 +later\n$/)
  const [from, to] = [
    { busy: 100, idle: 100, disk: 0 },
    { busy: 180, idle: 110, disk: 10 },
  ]
  assert.match(describeCores(from, to), /busy 80 % .* disk 10 %\n$/)
  assert.ok(timesOfCores().busy > 0)
})

test('processor time of children counts when they have ended', () => {
  const before = ofEndedChildren()
  const busy = 'const until = process.cpuUsage().user + 2e5; while (process.cpuUsage().user < until);'
  spawnSync(process.execPath, ['-e', busy])
  // Only Linux tells.
  if (process.platform === 'linux') assert.ok(ofEndedChildren() - before >= 0.15)
})

test('a run without any test is a failure', async () => {
  assert.equal((await reported([[]])).passed, false)
})

test('of those who are to be trusted as well, everybody that Node.js trusts by itself is left out', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-authorities-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [named, file] = [join(folder, 'named.pem'), join(folder, 'others.pem')]
  const [first = '', second = ''] = rootCertificates
  const own = '-----BEGIN CERTIFICATE-----\nMIIBown\n-----END CERTIFICATE-----\n'
  writeFileSync(named, `${first}\n${own}${second}\n`)
  assert.equal(writeOthers(named, file), file)
  assert.equal(readFileSync(file, 'utf8'), own)
  writeFileSync(named, `${second}\n`)
  assert.equal(writeOthers(named, file), undefined)
})
