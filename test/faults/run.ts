/**
 * `npm run test:faults`: breaks a running installation under load, over and over, and tells what became of it.
 *
 *   npm run test:faults -- --rounds 1000      so many random kills, half on SQLite and half on PostgreSQL
 *   npm run test:faults -- --seed 7           the same kills and the same load again
 *   npm run test:faults -- --only Redis       the scenarios with this in their name
 *   npm run test:faults -- --only scenarios   all scenarios, and nothing else
 *   npm run test:faults -- --only 'kills on SQLite' --rounds 1000   all of the kills on one database
 *   npm run test:faults -- --only restore --restore-mb 10240   the memory that a backup and a restore of 10 GB need
 *   npm run test:faults -- --only upgrades    data of every version that was kept, with its functions
 *   npm run test:faults -- --only aliases     an alias that moves a thousand times under load
 *   npm run test:faults -- --write            writes the table of docs/reliability.md
 *
 * SIGTERM (`kill` with the number of this process) ends the random kills after the one under way, and tells what came of those until then.
 */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '#test/support/database/postgres.ts'
import { createDatabase } from '#test/support/database/postgres-databases.ts'
import { type Kill, randomKills, VICTIMS } from './load/kills.ts'
import type { Counts } from './load/workload.ts'
import { World } from './load/world.ts'
import { changePage, type Row, withMeasure, withTable } from './reliability-table.ts'
import { MOST_MEMORY, MOST_SERVING, measureRestore } from './restore-memory.ts'
import { type Ground, SCENARIOS } from './scenarios.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    'restore-mb': { type: 'string', default: '100' },
  },
})
const seed = Number(values.seed)
const rounds = Number(values.rounds)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(rounds) || rounds < 0)
  throw new Error('--rounds and --seed take whole numbers')
console.log(`seed ${seed}; repeat this run with --seed ${seed} --rounds ${rounds}`)

let failed = false

/** Written at once, so that a run that is ended early leaves what it has found. */
function tell(row: Row, { wrong, why }: Counts, lost: readonly string[]): void {
  const problems = [...lost, ...wrong]
  if (values.write) changePage((page) => withTable(page, [row]))
  const { visits, api, sockets } = row
  const of = ({ ok, failed: missed }: Counts['api']) => `${ok}/${missed}`
  console.log(
    `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${row.name}: visits ${of(visits)}, API ${of(api)}, WebSockets ${of(sockets)}, lost ${row.lost}, back after ${row.seconds.toFixed(1)} s`,
  )
  for (const [reason, count] of why) console.log(`     visits that failed: ${count} × ${reason}`)
  for (const problem of problems) console.log(`     ${problem}`)
  if (problems.length > 0) failed = true
}

const chosen = SCENARIOS.filter(({ name }) => values.only === 'scenarios' || name.includes(values.only))
for (const prepare of new Set(chosen.map((scenario) => scenario.prepare))) {
  const ground: Ground | string = await prepare()
  const scenarios = chosen.filter((scenario) => scenario.prepare === prepare)
  if (typeof ground === 'string') {
    for (const { name } of scenarios) console.log(`left out: ${name} (${ground})`)
    continue
  }
  let world: World | undefined
  for (const { name, break: breakIt } of scenarios)
    try {
      world ??= await World.create({ seed, ...ground })
      await world.answers(100)
      world.load.restartCounts()
      const seconds = await world.recovered(await breakIt(world, ground))
      const lost = await world.lost()
      await world.answers(50)
      tell({ name, ...world.counts, lost: lost.length, seconds }, world.counts, lost)
    } catch (error) {
      failed = true
      console.log(`FAIL ${name}: ${error instanceof Error ? error.stack : error}`)
      await world?.close().catch(() => {})
      world = undefined
    }
  await world?.close()
  await ground.close()
}

let isInterrupted = false
const interrupt = () => {
  isInterrupted = true
}

const databases = (['SQLite', 'PostgreSQL'] as const).filter((database) =>
  `random kills on ${database}`.includes(values.only),
)
process.on('SIGTERM', interrupt)
for (const [index, database] of databases.entries()) {
  const count = Math.floor((rounds + databases.length - 1 - index) / databases.length)
  if (count === 0 || isInterrupted) continue
  const postgres = database === 'PostgreSQL' ? await startPostgres() : undefined
  const env = postgres
    ? { ALOFT_DATABASE_URL: await createDatabase(postgres.folder, { migrated: false }) }
    : {}
  const world = await World.create({ seed, env, chat: true })
  try {
    const kills: Kill[] = []
    for await (const kill of randomKills(world, count, seed)) {
      kills.push(kill)
      console.log(
        `     ${database}, kill ${kills.length}: ${kill.victim}, back after ${kill.seconds.toFixed(1)} s`,
      )
      for (const lost of kill.lost) console.log(`     LOST ${lost}`)
      if (isInterrupted) break
    }
    const times = (victim: string) => kills.filter((kill) => kill.victim === victim).length
    const name = `${kills.length} random kills on ${database} (${VICTIMS.map((one) => `${times(one)} × ${one}`).join(', ')})`
    const lost = kills.flatMap((kill) => kill.lost)
    const seconds = Math.max(...kills.map((kill) => kill.seconds))
    tell({ name, ...world.counts, lost: lost.length, seconds }, world.counts, lost)
  } finally {
    await world.close()
    await postgres?.stop()
  }
}
process.off('SIGTERM', interrupt)

if ('restore'.includes(values.only)) {
  const megabytes = Number(values['restore-mb'])
  const { backup, serving, restore, seconds } = await measureRestore(megabytes)
  const isBounded = Math.max(backup, restore) < MOST_MEMORY && serving < MOST_SERVING
  const found = `backup ${backup} MB, the serving process meanwhile ${serving} MB, restore ${restore} MB of memory at the most; ${seconds} s`
  console.log(`${isBounded ? 'ok  ' : 'FAIL'} backup and restore of ${megabytes} MB of files: ${found}`)
  if (values.write)
    changePage((page) => withMeasure(page, `backup and restore of ${megabytes} MB of files`, found))
  if (!isBounded) failed = true
}

/** Tests of which `npm test` has a short version. */
function runLong(what: string, path: string, flag: Readonly<Record<string, string>>): void {
  const file = resolve(import.meta.dirname, path)
  const env = { ...process.env, ...flag }
  const { status } = spawnSync(process.execPath, ['--test', file], { env, stdio: 'inherit' })
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${what}`)
  if (status !== 0) failed = true
}

if ('upgrades'.includes(values.only))
  runLong('data of older versions, with their functions', '../upgrade/upgrade.test.ts', {
    ALOFT_UPGRADES: 'all',
  })
if ('aliases'.includes(values.only))
  runLong('sites, with an alias that moves a thousand times under load', '../e2e/site/sites.test.ts', {
    ALOFT_TEST_LONG: '1',
  })

process.exit(failed ? 1 : 0)
