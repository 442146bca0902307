import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Postgres, startPostgres } from '#test/support/database/postgres.ts'
import { createDatabase } from '#test/support/database/postgres-databases.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import { SocketRelay } from '#test/support/http/socket-relay.ts'
import { type Installation, install, NOTHING_RUNS, TWO_SERVING } from '#test/support/installation.ts'
import { until } from '#test/support/until.ts'

const skip = /postgresql/.test(process.env.ALOFT_TEST_MISSING ?? '') && 'postgresql is not installed'

let postgres: Postgres
let folder: string
let relay: SocketRelay
let aloft: Installation

before(async () => {
  if (skip) return
  postgres = await startPostgres()
  folder = await mkdtemp(join(tmpdir(), 'aloft-relay-'))
  const name = '.s.PGSQL.5432'
  relay = new SocketRelay(join(folder, name), join(postgres.folder, name))
  await relay.open()
  const url = await createDatabase(postgres.folder, { migrated: false })
  const through = url.replaceAll(encodeURIComponent(postgres.folder), encodeURIComponent(folder))
  const relayed = through.replaceAll(postgres.folder, folder)
  aloft = await install({ env: { ...TWO_SERVING, ...NOTHING_RUNS, ALOFT_DATABASE_URL: relayed } })
})
after(async () => {
  await aloft?.remove()
  await relay?.close()
  await postgres?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const overTls = (host: string) =>
  new Promise<string>((resolve, reject) => {
    const where = { host: '127.0.0.1', port: aloft.tlsPort, servername: host, rejectUnauthorized: false }
    get({ ...where, agent: false, headers: { host } }, (response) => {
      const certificate = (response.socket as import('node:tls').TLSSocket).getPeerCertificate()
      response.resume().on('end', () => resolve(`${response.statusCode} ${certificate.subjectaltname}`))
    }).on('error', reject)
  })

const user = () =>
  fetch(`${aloft.url}/v2/user`, { headers: { authorization: `Bearer ${aloft.token}`, connection: 'close' } })

test('a start without the database serves what is known here, and catches up when it is back', {
  skip,
}, async () => {
  const { url } = await deployed(aloft, { name: 'known', files: { 'index.html': 'as it was' } })
  const other = await deployed(aloft, { name: 'unknown', files: { 'index.html': 'never visited' } })
  assert.equal((await visit(aloft, url, { path: '/' })).text, 'as it was')
  const secure = await overTls(url)
  assert.match(secure, new RegExp(`^200 .*${url}`))
  await aloft.stop()
  await relay.close()

  aloft = await aloft.restart()
  const known = await visit(aloft, url, { path: '/' })
  assert.deepEqual([known.status, known.text], [200, 'as it was'])
  assert.equal(await overTls(url), secure)
  for (const host of [other.url, 'nobody.localhost']) {
    const unknown = await visit(aloft, host, { path: '/' })
    assert.equal(unknown.status, 503)
    assert.ok(Number(unknown.headers['retry-after']) > 0)
  }
  const refused = await user()
  assert.equal(refused.status, 503)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.deepEqual(await aloft.children('work'), [])

  await relay.open()
  await until(async () => (await user()).status === 200)
  assert.equal((await visit(aloft, other.url, { path: '/' })).text, 'never visited')
  await until(async () => (await aloft.children('work')).length === 1)
  await deployed(aloft, { name: 'known', files: { 'index.html': 'as it is' } })
})
