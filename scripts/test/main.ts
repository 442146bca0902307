/**
 * `npm test`: the checks and every test, on servers and tools that it installs itself where it may.
 * `npm run test:postgres`: the tests that have a database, all on PostgreSQL and with several processes.
 *
 *   npm test                            everything
 *   npm test -- src/edge test/api/account/team.test.ts   these folders and files, without the checks
 *   npm test -- --times                 everything, and notes how long each file takes, by which they are ordered
 *   npm test -- --resume                what has not passed in the last run of everything, which failed or was ended early
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  globSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from 'node:test'
import { findBundle } from '../../src/process/supervisor/bundle.ts'
import { failureOf } from '../../test/support/program/package.ts'
import { ensureTools, TOOLS } from '../debian.js'
import { writeOthers } from './authorities.ts'
import {
  type Cost,
  describeCores,
  ofEndedChildren,
  ofThisProcess,
  readCosts,
  slowest,
  timeline,
  timesOf,
  timesOfCores,
} from './costs.ts'
import { idle } from './idle.ts'
import { hasDatabase, planOf, TIMES_FILE, timeoutMsOf, type Unit, withSeveral } from './plan.ts'
import { inTurn } from './pool.ts'
import { openProgress } from './progress.ts'
import { Report, reasonOf, type TestEvent } from './report.ts'
import { splitByFile } from './retry.ts'

const root = resolve(import.meta.dirname, '../..')
process.chdir(root)
const atFirst = timesOfCores()
const keepsTimes = process.argv.includes('--times')
const isSeveral = process.argv.includes('--postgres')
if (isSeveral) process.env.ALOFT_TEST_SEVERAL = '1'
const goesOn = process.argv.includes('--resume')
const OPTIONS = ['--times', '--postgres', '--resume']
const only = process.argv.slice(2).filter((argument) => !OPTIONS.includes(argument))

const filesIn = (name: string): string[] =>
  globSync(statSync(name, { throwIfNoEntry: false })?.isDirectory() ? `${name}/**/*.test.ts` : name)
const without = only.filter((name) => filesIn(name).length === 0)
if (without.length > 0) {
  process.stderr.write(`no tests in ${without.join(', ')}\n`)
  process.exit(1)
}

const scratch = mkdtempSync(join(tmpdir(), 'aloft-test-run-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))

/** When each file of the last run was begun and what it took, to see what ran beside what. */
const COSTS_FILE = join(root, 'node_modules/.cache/test-costs.txt')

/** Begins a program beside everything else. What it prints is kept, for those who ask. */
function beside(name: string, args: readonly string[]): { readonly done: Promise<boolean>; said(): string } {
  const file = join(scratch, name)
  const output = openSync(file, 'w')
  const child = spawn(process.execPath, args, { stdio: ['ignore', output, output] })
  closeSync(output)
  const done = once(child, 'exit').then(([code]) => code === 0)
  return { done, said: () => readFileSync(file, 'utf8') }
}

/** The package takes what was built here. Tests that want it wait for it. */
async function packBeside(file: string): Promise<void> {
  process.env.ALOFT_TEST_PACKAGE = file
  const { done, said } = beside('package', ['scripts/test/pack.ts', file])
  if (!(await done)) writeFileSync(failureOf(file), said())
}

// For all programs in Go that are started from here on, as those that bundle and check types: they end soon, and would
// spend a quarter of their time collecting garbage.
process.env.GOGC ??= '400'

const { NODE_EXTRA_CA_CERTS } = process.env
if (NODE_EXTRA_CA_CERTS && existsSync(NODE_EXTRA_CA_CERTS)) {
  const others = writeOthers(NODE_EXTRA_CA_CERTS, join(scratch, 'authorities.pem'))
  if (others) process.env.NODE_EXTRA_CA_CERTS = others
  else delete process.env.NODE_EXTRA_CA_CERTS
}

// They need nothing that is installed here, so they do not wait for it.
const builds = [
  beside('dashboard', ['scripts/build-dashboard.js']),
  beside('server', ['scripts/build-server.ts']),
]
const check =
  only.length === 0 && !isSeveral ? beside('check', ['scripts/check.js', '--no-tests']) : undefined

const missing = ensureTools(Object.keys(TOOLS))
for (const name of missing)
  process.stderr.write(`left out: ${TOOLS[name]?.suite} (${name} is not installed and could not be)\n`)
// What benchmarks are compared with may not be had everywhere.
if (missing.some((name) => TOOLS[name]?.suite !== 'benchmarks') && process.env.CI === 'true') {
  process.stderr.write('with CI=true every suite must run: failing\n')
  process.exit(1)
}
if (isSeveral && missing.includes('postgresql')) {
  process.stderr.write('there is no PostgreSQL to run on\n')
  process.exit(1)
}
for (const { done, said } of builds)
  if (!(await done)) {
    process.stderr.write(said())
    process.exit(1)
  }

const packed = only.length === 0 ? packBeside(join(scratch, 'package.tgz')) : undefined
process.env.ALOFT_TEST_MISSING = missing.join(',')
// Where the program itself keeps its compiled sources: what one process has compiled serves all others.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/aloft')
const [postgres, objectStore] = await Promise.all([
  missing.includes('postgresql')
    ? undefined
    : import('../../test/support/database/postgres.ts').then(({ startPostgres }) => startPostgres()),
  missing.includes('moto') || only.length > 0
    ? undefined
    : import('../../test/support/storage/s3.ts').then(({ startS3 }) => startS3()),
])
if (postgres) process.env.ALOFT_TEST_POSTGRES = postgres.folder
if (objectStore) process.env.ALOFT_TEST_S3 = objectStore.endpoint

// Copied by whoever wants an embedded database with the schema of today.
process.env.ALOFT_TEST_TEMPLATE = await (
  await import('../../test/support/database/sqlite-template.ts')
).makeTemplate()

/** Of runs of everything; of each database. */
const progress =
  only.length === 0
    ? openProgress(join(root, `node_modules/.cache/test-passed${isSeveral ? '-postgres' : ''}.txt`), goesOn)
    : undefined
function planAll(): readonly Unit[] {
  const isMeant = isSeveral ? hasDatabase(root) : () => true
  const units = planOf(root, (file) => isMeant(file) && progress?.has(file) !== true)
  return isSeveral ? withSeveral(units) : units
}
const units: readonly Unit[] =
  only.length === 0
    ? planAll()
    : [...new Set(only.flatMap(filesIn))].map((file) => ({ name: file, files: [file], share: 1 }))

const isAttack = ({ name }: Unit): boolean => name.startsWith('test/attacks/')
/** Files of attacks share an installation to attack, when there are several. */
let attacked: Promise<{ close(): Promise<void> }> | undefined
async function shareAttacked(): Promise<{ close(): Promise<void> }> {
  const { installAttacked } = await import('../../test/support/attacked.ts')
  const { aloft, close } = await installAttacked()
  const { url, port, tlsPort, folder, token, dnsPort } = aloft
  process.env.ALOFT_ATTACKED = JSON.stringify({ url, port, tlsPort, folder, token, dnsPort })
  return { close }
}
const sharesAttacked = units.filter(isAttack).length > 1

const report = new Report(process.stdout)

const costs: Cost[] = []
let counted = ofEndedChildren()
/** What has ended since it was last asked: units end one at a time, so it is the one that just has. */
function cpuOfEnded(): number {
  const before = counted
  counted = ofEndedChildren()
  return counted - before
}

void check?.done.then(cpuOfEnded)
void packed?.then(cpuOfEnded)

/** On a machine that is busy with much else, what takes two minutes may take twenty. */
const LONGEST_BATCH_MS = (isSeveral ? 120 : 40) * 60_000

async function eventsOf({ name, files }: Unit): Promise<TestEvent[]> {
  const isBatch = files.length > 1
  const events: TestEvent[] = []
  const began = performance.now()
  const costFile = join(scratch, `${name.replaceAll('/', '-')}.costs`)
  const stream = run({
    files: isBatch ? [join(import.meta.dirname, 'batch.ts')] : [resolve(files[0] as string)],
    argv: isBatch ? [costFile, ...files] : [],
    // Files that share a process have each their own; this is for a process that does not even come to look at its clock.
    timeout: isBatch ? LONGEST_BATCH_MS : timeoutMsOf(name),
  })
  for await (const event of stream as AsyncIterable<TestEvent>) events.push(event)
  const cpu = cpuOfEnded()
  if (isBatch) costs.push(...readCosts(costFile))
  else
    costs.push({
      file: name,
      seconds: (performance.now() - began) / 1000,
      cpu,
      begun: began + performance.timeOrigin,
    })
  return events
}
const add = ({ files }: Unit, events: readonly TestEvent[]) =>
  report.add(events, files.length > 1 ? files : [])
const failuresIn = (events: readonly TestEvent[]) => events.filter(({ type }) => type === 'test:fail')

/** With everything else beside them they may have failed for want of a port or of time: they get one more try, alone. */
const again: Unit[] = []
async function runUnit(unit: Unit): Promise<void> {
  if (sharesAttacked && isAttack(unit)) {
    attacked ??= shareAttacked()
    await attacked
  }
  const events = await eventsOf(unit)
  const failed = failuresIn(events)
  if (failed.length === 0) {
    progress?.passed(unit.files)
    return add(unit, events)
  }
  for (const event of failed)
    process.stdout.write(
      `failed, and will be tried once more alone: ${event.data.name}\n${reasonOf(event)}\n`,
    )
  if (unit.files.length === 1) return void again.push(unit)
  const { kept, again: files, notBegun } = splitByFile(events, unit.files)
  report.add(kept)
  progress?.passed(unit.files.filter((file) => !files.includes(file) && !notBegun.includes(file)))
  again.push(...files.map((file) => ({ name: file, files: [file], share: unit.share })))
  if (notBegun.length > 0) await runUnit({ ...unit, name: notBegun[0] as string, files: notBegun })
}
await inTurn(units, availableParallelism(), runUnit, idle)
await (await attacked)?.close()
delete process.env.ALOFT_ATTACKED
const failedTwice: string[] = []
for (const unit of again) {
  process.stdout.write(`once more, alone: ${unit.name}\n`)
  const events = await eventsOf(unit)
  if (failuresIn(events).length === 0) progress?.passed(unit.files)
  else failedTwice.push(unit.name)
  add(unit, events)
}
await Promise.all([postgres?.stop(), objectStore?.stop()])
const isChecked = (await check?.done) ?? true
const allPassed = (await report.close()) || units.length === 0
if (check && !isChecked) process.stderr.write(`\n${check.said()}`)
process.stdout.write(`\n${slowest(costs, 15, ofThisProcess())}${describeCores(atFirst, timesOfCores())}`)
// A test that writes below src does that, and makes each start of a server after it cost more than twice as much.
if (findBundle() === undefined)
  process.stdout.write('the sources changed meanwhile: from then on servers ran without their bundle\n')
const passedThen = again.map(({ name }) => name).filter((name) => !failedTwice.includes(name))
if (passedThen.length > 0) process.stdout.write(`\npassed the second time:\n  ${passedThen.join('\n  ')}\n`)
if (failedTwice.length > 0) {
  process.stdout.write(`\nfailed twice:\n  ${failedTwice.join('\n  ')}\n`)
  if (progress) process.stdout.write('--resume runs only what has not passed\n')
}
writeFileSync(COSTS_FILE, timeline(costs))
if (keepsTimes && only.length === 0 && !isSeveral) writeFileSync(TIMES_FILE, timesOf(costs))
// A process that a test has left behind may hold on to what this one reads from.
process.exit(allPassed && isChecked ? 0 : 1)
