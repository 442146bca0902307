/**
 * What an installation on PostgreSQL takes for each site, deployment and visit: CPU time of our processes and of those of the
 * server, its journal, and the room in its tables. docs/scale.md reckons with these figures.
 *
 *   node bench/micro/postgres-costs.ts
 */
import { readFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createDatabase, dropDatabase } from '#test/support/database/postgres-databases.ts'
import { send } from '../load/send.ts'
import { cpuSeconds } from '../measure/process-cpu.ts'
import { amount } from '../measure/trial.ts'
import { startPlatform } from '../platform/platform.ts'
import { openPostgres } from '../platform/postgres.ts'

const MADE = amount(300, 5)
const WARM_UP = amount(100, 1)
const VISITS = amount(20_000, 50)
const CONNECTIONS = amount(8, 2)
/** What is recorded of visits is written five seconds later at the latest. */
const WRITTEN_MS = amount(6000, 100)

const postgres = await openPostgres()
const url = await createDatabase(postgres.folder, { migrated: true })
const platform = await startPlatform({ ALOFT_DATABASE_URL: url, ALOFT_SANDBOX: 'off' }, { pinned: false })
const client = new pg.Client(url)
await client.connect()
const server = Number.parseInt(await readFile(join(postgres.folder, 'data/postmaster.pid'), 'utf8'), 10)
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

interface Moment {
  readonly ours: number
  readonly theirs: number
  readonly journal: number
  readonly room: number
}

async function look(): Promise<Moment> {
  const { rows } = await client.query<{ journal: string; room: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as journal,
       pg_database_size(current_database()) as room`,
  )
  const [{ journal, room } = { journal: '', room: '' }] = rows
  return {
    ours: await cpuSeconds(platform.pid),
    theirs: await cpuSeconds(server),
    journal: Number(journal),
    room: Number(room),
  }
}

/** Does it so many times, over several connections. */
async function repeat(times: number, work: (n: number) => Promise<unknown>, from = 0): Promise<void> {
  let next = from
  const one = async () => {
    while (next < from + times) await work(next++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
}

async function measure(what: string, times: number, work: () => Promise<unknown>): Promise<void> {
  const before = await look()
  await work()
  const after = await look()
  const each = (name: keyof Moment) => (after[name] - before[name]) / times
  const cells = [
    what,
    `${(each('ours') * 1e6).toFixed(0)} µs`,
    `${(each('theirs') * 1e6).toFixed(0)} µs`,
    `${each('journal').toFixed(0)} B`,
    `${each('room').toFixed(0)} B`,
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

const hosts: string[] = []
async function create(name: string, text: string): Promise<void> {
  const files = [{ file: 'index.html', data: text }]
  const body = JSON.stringify({ name, version: 2, files, target: 'production' })
  const { body: made } = await platform.call('/v8/platform/deployments', { method: 'POST', body, agent })
  hosts.push(JSON.parse(made).url)
}
const visit = async (host: string, path: string) => {
  const { status } = await send({ url: `${platform.url}${path}`, headers: { host }, agent })
  if (status !== 200) throw new Error(`${host} answered ${status}`)
}

try {
  // What is new to the processes, and to the server.
  await repeat(WARM_UP, (n) => create(`warm-${n % 50}`, `warm ${n}`))
  hosts.length = 0
  console.log('| for each | Aloft | PostgreSQL | journal | tables |')
  console.log('| --- | --- | --- | --- | --- |')
  await measure('new site with its first deployment', MADE, () =>
    repeat(MADE, (n) => create(`site-${n}`, `first of ${n}`)),
  )
  await measure('further deployment of a site', MADE, () =>
    repeat(MADE, (n) => create(`site-${n}`, `second of ${n}`)),
  )
  await measure('first visit of a site since a process started', MADE, async () => {
    await repeat(MADE, (n) => visit(hosts[n] ?? '', '/'))
    await delay(WRITTEN_MS)
  })
  await measure('visit, of 100 sites', VISITS, async () => {
    await repeat(VISITS, (n) => visit(hosts[n % Math.min(100, MADE)] ?? '', `/?from=${n}`))
    await delay(WRITTEN_MS)
  })
  await measure('second at rest', 20, () => delay(amount(20_000, 100)))
} finally {
  agent.destroy()
  await client.end()
  await platform.stop()
  await dropDatabase(url)
  await postgres.stop()
}
