/**
 * What it takes to record a visit: CPU time, by the parts that record it in a serving process, with their database; and the
 * room on the disk, and how long a search takes, on the whole product after many visits.
 *
 *   node bench/site/visit-log.ts
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { createLogStore } from '#adapters/sql/log/log-store.ts'
import { createTrafficStore } from '#adapters/sql/log/traffic-store.ts'
import { TrafficRecorder } from '#core/analytics/traffic-recorder.ts'
import { sampleVisit } from '#core/log/logged-visit-testing.ts'
import { LogWriter } from '#core/log/write/log-writer.ts'
import { createVisitLog } from '#core/log/write/visit-log.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import type { SiteVisit } from '#core/site/site.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { wrkScript } from '../load/wrk.ts'
import { median } from '../measure/median.ts'
import { amount, rounds, warmUps } from '../measure/trial.ts'
import { deployReady } from '../platform/deploy-ready.ts'
import { startPlatform } from '../platform/platform.ts'
import { printRows, type Row } from '../report/row.ts'

const RECORDED = amount(200_000, 200)
const ROUNDS = rounds(Number(process.env.BENCH_ROUNDS ?? 5))
const WARM_UPS = warmUps(2)
/** So many come between two turns of the event loop under load. */
const AT_ONCE = 32

/** An hour of a site that a hundred visit each second. */
const VISITS = amount(360_000, 50)
const PAGES = 200
const LOAD_SECONDS = 4

const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0',
]

/** Microseconds for each visit that is made up and handed over, until all of them are through. */
async function costOf(record: (visit: SiteVisit) => void, ended: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  for (let n = 0; n < RECORDED; n++) {
    record(
      sampleVisit({
        ...{ id: `req_${n}`, at: Date.now(), path: `/section/page-${n % PAGES}.html?from=${n}` },
        ...{ status: 200, userAgent: AGENTS[n % AGENTS.length] ?? '', source: 'static' },
        ip: `192.0.2.${n % 250}`,
      }),
    )
    if (n % AT_ONCE === 0) await nextTurn()
  }
  await ended()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / RECORDED
}

/** What is left of it without making visits up, in rounds that take turns. */
async function cpuMicroseconds(folder: string): Promise<number[]> {
  const database = await openLogDatabase({ file: join(folder, 'logs.db') }, silentLog)
  await database.migrate()
  const parts = { clock: systemClock, log: silentLog }
  const bus = { publish: async () => {} }
  const writer = new LogWriter({ ...parts, bus, store: createLogStore(database.db) })
  const traffic = new TrafficRecorder({ ...parts, store: createTrafficStore(database.db) })
  const visits = createVisitLog({ writer, traffic, clock: systemClock, region: 'local' })
  const each: number[] = []
  try {
    for (let round = -WARM_UPS; round < ROUNDS; round++) {
      const nothing = await costOf(
        () => {},
        async () => {},
      )
      const all = await costOf(visits.record, () => writer.flush())
      // In a trial there may be nothing to tell.
      if (round >= 0) each.push(Math.max(0, all - nothing))
    }
  } finally {
    await writer.close()
    await traffic.close()
    await database.close()
  }
  return each
}

/** Pages of the site in turn, each visit with something of its own, by four kinds of visitors. */
const script = (
  host: string,
): string => `local agents = { ${AGENTS.map((agent) => JSON.stringify(agent)).join(', ')} }
local n = 0
request = function()
  n = n + 1
  local headers = { ["Host"] = ${JSON.stringify(host)}, ["User-Agent"] = agents[n % #agents + 1] }
  return wrk.format("GET", "/page-" .. (n % ${PAGES}) .. ".html?from=" .. n, headers)
end
`

/** What the log holds, whether or not it is in the file proper already. */
function logOf(dataDir: string): { readonly bytes: number; readonly entries: number } {
  const db = new DatabaseSync(join(dataDir, 'logs.db'), { readOnly: true })
  try {
    const one = (statement: string): number => Number(Object.values(db.prepare(statement).get() ?? {})[0])
    return {
      bytes: one('PRAGMA page_count') * one('PRAGMA page_size'),
      entries: one('SELECT coalesce(sum(entries), 0) FROM log_blocks'),
    }
  } finally {
    db.close()
  }
}

/** What is recorded is written a moment later. */
async function logAtRest(dataDir: string): Promise<ReturnType<typeof logOf>> {
  for (let before = logOf(dataDir); ; ) {
    await delay(amount(1000, 300))
    const now = logOf(dataDir)
    if (now.entries === before.entries) return now
    before = now
  }
}

interface OnDisk {
  readonly bytes: number
  readonly searchSeconds: number
}

async function onDisk(folder: string): Promise<OnDisk> {
  const platform = await startPlatform()
  try {
    const pages = Array.from({ length: PAGES }, (_, n) => [`page-${n}.html`, `<h1>Page ${n}</h1>`])
    const host = await deployReady(platform, 'visited', Object.fromEntries(pages))
    const file = join(folder, 'visits.lua')
    await writeFile(file, script(host))
    const before = await logAtRest(platform.dataDir)
    for (let made = 0; made < VISITS; ) made += await wrkScript(`${platform.url}/`, LOAD_SECONDS, file)
    const after = await logAtRest(platform.dataDir)
    const { id } = JSON.parse((await platform.call(`/v8/platform/deployments/${host}`)).body)
    const searches: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now()
      await platform.call(`/v2/platform/deployments/${id}/events?q=is-in-none-of-them`)
      searches.push((performance.now() - start) / 1000)
    }
    // Each is read as two entries.
    const visits = (after.entries - before.entries) / 2
    return { bytes: (after.bytes - before.bytes) / visits, searchSeconds: median(searches) }
  } finally {
    await platform.stop()
  }
}

const atMost = (
  what: string,
  value: number,
  unit: string,
  target: number,
  spread?: readonly number[],
): Row => ({
  ...{ id: 'P17', what, measured: `${value.toFixed(2)} ${unit}`, target: `≤ ${target} ${unit}` },
  met: value <= target,
  chart: {
    ...{ value, target, better: 'less' },
    ...(spread ? { spread: [Math.min(...spread), Math.max(...spread)] as const } : {}),
  },
})

export async function run(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bench-log-'))
  try {
    const cpu = await cpuMicroseconds(folder)
    const { bytes, searchSeconds } = await onDisk(folder)
    const many = VISITS.toLocaleString('en')
    return [
      atMost('CPU time for the record of a visit', median(cpu), 'µs', 3, cpu),
      atMost('room on the disk for the record of a visit', bytes, 'B', 80),
      atMost(`a search that finds nothing in the records of ${many} visits`, searchSeconds, 's', 1),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())
