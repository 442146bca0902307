import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { type Postgres, startPostgres, startStandby } from '#test/support/database/postgres.ts'
import { createDatabase } from '#test/support/database/postgres-databases.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import { SocketRelay } from '#test/support/http/socket-relay.ts'
import { install, NOTHING_RUNS, uninstall } from '#test/support/installation.ts'
import { until } from '#test/support/until.ts'

const skip = /postgresql/.test(process.env.ALOFT_TEST_MISSING ?? '') && 'postgresql is not installed'
const SOCKET = '.s.PGSQL.5432'

test('the standby takes over: sites go on, writes are refused in words until it takes them, and nothing is lost', {
  skip,
}, async (t) => {
  // What was begun last ends first.
  const endings: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const end of endings.toReversed()) await end()
  })
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
  endings.push(async () => {
    await aloft.stop()
    await uninstall(aloft)
  })
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
