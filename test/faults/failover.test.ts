import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { createPostgresPool } from '#adapters/sql/database/dialect/postgres-pool.ts'
import { type Postgres, startPostgres, startStandby } from '#test/support/database/postgres.ts'
import { createDatabase } from '#test/support/database/postgres-databases.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import { SocketRelay } from '#test/support/http/socket-relay.ts'
import { type Installation, install, NOTHING_RUNS } from '#test/support/installation.ts'
import { until } from '#test/support/until.ts'

const skip = /postgresql/.test(process.env.ALOFT_TEST_MISSING ?? '') && 'postgresql is not installed'
const SOCKET = '.s.PGSQL.5432'

/** What was begun last ends first. */
function endingsOf(t: TestContext): (() => Promise<unknown>)[] {
  const endings: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const end of endings.toReversed()) await end()
  })
  return endings
}

test('the standby takes over: sites go on, writes are refused in words until it takes them, and nothing is lost', {
  skip,
}, async (t) => {
  const endings = endingsOf(t)
  const primary = await startPostgres()
  endings.push(() => primary.stop())
  const folder = await mkdtemp(join(tmpdir(), 'aloft-failover-'))
  endings.push(() => rm(folder, { recursive: true, force: true }))
  /** One address, which leads to the one or the other. */
  const leadTo = (server: Postgres) => new SocketRelay(join(folder, SOCKET), join(server.folder, SOCKET))
  const first = leadTo(primary)
  await first.open()
  const url = new URL(await createDatabase(primary.folder, { migrated: false }))
  const name = url.pathname.slice(1)
  url.searchParams.set('host', folder)
  const standby = await startStandby(primary)
  endings.push(() => standby.stop())
  const client = new pg.Client({ host: standby.folder, user: 'postgres', database: name })
  await client.connect()
  endings.push(() => client.end())
  const second = leadTo(standby)
  endings.push(() => second.close())
  const aloft = await install({ env: { ...NOTHING_RUNS, ALOFT_DATABASE_URL: `${url}` } })
  endings.push(() => aloft.remove())
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${aloft.url}${path}`, { ...init, headers: { authorization: `Bearer ${aloft.token}` } })
  const makeTeam = (slug: string) => call('/v1/teams', { method: 'POST', body: JSON.stringify({ slug }) })
  const page = async (host: string) => (await visit(aloft, host, { path: '/' })).text

  const { url: host } = await deployed(aloft, { name: 'known', files: { 'index.html': 'as it was' } })
  assert.equal(await page(host), 'as it was')
  assert.equal((await makeTeam('acknowledged')).status, 200)
  await until(async () => {
    const { rows } = await client.query(`select from teams where slug = 'acknowledged'`)
    return rows.length === 1
  })

  await first.close()
  await second.open()
  await until(async () => {
    const refused = await makeTeam('refused')
    assert.equal(refused.status, 503)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    return /takes no writes/.test(await refused.text())
  })
  assert.equal(await page(host), 'as it was')

  await client.query('select pg_promote()')
  await until(async () => (await makeTeam('accepted')).status === 200)
  const { teams } = (await (await call('/v2/teams')).json()) as { teams: readonly { slug: string }[] }
  assert.deepEqual(teams.map(({ slug }) => slug).toSorted(), ['accepted', 'acknowledged'])
  await deployed(aloft, { name: 'known', files: { 'index.html': 'as it is' } })
  assert.equal(await page(host), 'as it was')
})

test('every machine goes over to another server that is named, when the one that took writes is gone', {
  skip,
}, async (t) => {
  const endings = endingsOf(t)
  const primary = await startPostgres()
  endings.push(() => primary.stop())
  const first = await createDatabase(primary.folder, { migrated: false })
  const standby = await startStandby(primary)
  endings.push(() => standby.stop())
  const client = new pg.Client({
    ...{ host: standby.folder, user: 'postgres', database: new URL(first).pathname.slice(1) },
  })
  await client.connect()
  endings.push(() => client.end())
  const naming = (...servers: readonly Postgres[]) => {
    const url = new URL(first)
    url.searchParams.set('host', servers.map(({ folder }) => folder).join(','))
    url.searchParams.set('target_session_attrs', 'read-write')
    return `${url}`
  }
  // There is nothing else that could tell the one of what the other did.
  const shared = { ...NOTHING_RUNS, ALOFT_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') }
  const machines: Installation[] = []
  // Whoever asks the standby first finds the other as well.
  for (const url of [naming(primary, standby), naming(standby, primary)]) {
    const machine = await install({ env: { ...shared, ALOFT_DATABASE_URL: url } })
    machines.push(machine)
    endings.push(() => machine.remove())
  }
  const [a, b] = machines as [Installation, Installation]
  const call = (at: Installation, path: string, init: RequestInit = {}) =>
    fetch(`${at.url}${path}`, { ...init, headers: { authorization: `Bearer ${at.token}` } })
  const makeTeam = (at: Installation, slug: string) =>
    call(at, '/v1/teams', { method: 'POST', body: JSON.stringify({ slug }) })
  // Contents are on the disk of each machine, so that sites are asked for what needs none.
  const shown = (host: string) =>
    Promise.all(machines.map(async (at) => (await visit(at, host, { path: '/' })).headers.location))
  const deployAliased = async (at: Installation, to: string) => {
    const redirects = [{ source: '/', destination: to }]
    const files = { 'index.html': to, 'vercel.json': JSON.stringify({ redirects }) }
    const { id } = await deployed(at, { name: 'known', files })
    const body = JSON.stringify({ alias: 'known' })
    const { status } = await call(at, `/v2/deployments/${id}/aliases`, { method: 'POST', body })
    assert.equal(status, 200)
  }

  await deployAliased(a, '/before')
  const host = 'known.localhost'
  assert.deepEqual(await shown(host), ['/before', '/before'])
  for (const at of machines) assert.equal((await makeTeam(at, `of-${at.port}`)).status, 200)
  await until(async () => (await client.query(`select from teams where slug like 'of-%'`)).rowCount === 2)

  await primary.stop()
  for (const at of machines) {
    const refused = await makeTeam(at, 'refused')
    assert.equal(refused.status, 503)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  }
  assert.deepEqual(await shown(host), ['/before', '/before'])

  await client.query('select pg_promote()')
  for (const at of machines)
    await until(async () => (await makeTeam(at, `accepted-${at.port}`)).status === 200)
  for (const at of machines) {
    const { teams } = (await (await call(at, '/v2/teams')).json()) as { teams: readonly { slug: string }[] }
    assert.deepEqual(
      teams.map(({ slug }) => slug).toSorted(),
      ['accepted', 'of'].flatMap((name) => machines.map(({ port }) => `${name}-${port}`)).toSorted(),
    )
  }
  await deployAliased(b, '/after')
  // The one is told by the other, over the server that both have gone over to.
  await until(async () => (await shown(host)).every((to) => to === '/after'))
})

test('a server that accepts connections and says nothing is passed over, and so is one that takes no writes', {
  skip,
}, async (t) => {
  const endings = endingsOf(t)
  const primary = await startPostgres()
  endings.push(() => primary.stop())
  const standby = await startStandby(primary)
  endings.push(() => standby.stop())
  const folder = await mkdtemp(join(tmpdir(), 'aloft-failover-'))
  endings.push(() => rm(folder, { recursive: true, force: true }))
  const held = new Set<Socket>()
  const silent = createServer((socket) => held.add(socket)).listen(join(folder, SOCKET))
  endings.push(async () => {
    for (const socket of held) socket.destroy()
    silent.close()
  })
  const hosts = [folder, standby.folder, primary.folder].join()
  const pool = createPostgresPool({ url: `postgres://postgres@x/postgres?host=${hosts}` })
  endings.push(() => pool.end())
  const clients = await Promise.all([pool.connect(), pool.connect()])
  for (const client of clients) {
    await client.query('create table if not exists written ()')
    client.release()
  }
  assert.equal(held.size, 2)

  const onStandby = new pg.Client({ host: standby.folder, user: 'postgres', database: 'postgres' })
  await onStandby.connect()
  endings.push(() => onStandby.end())
  const [used, asked] = [await pool.connect(), await pool.connect()]
  await asked.query('alter system set default_transaction_read_only = on')
  await asked.query('select pg_reload_conf()')
  await onStandby.query('select pg_promote()')
  // Whoever was refused does not use the connection again.
  asked.release(true)
  const moved = await pool.connect()
  await moved.query('create table written_elsewhere ()')
  // What leads to the one that was left is not used by anybody else.
  used.release()
  const other = await pool.connect()
  await other.query('insert into written_elsewhere default values')
  for (const client of [moved, other]) client.release()
  assert.equal((await onStandby.query('select from written_elsewhere')).rowCount, 1)
})
