import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { deployed, visit } from '#test/support/deploying.ts'
import { freePort } from '#test/support/free-port.ts'
import { SocketRelay } from '#test/support/http/socket-relay.ts'
import { install, makePlace, uninstall } from '#test/support/installation.ts'
import { openDesk } from '#test/support/program/command-line.ts'
import { isSeveral } from '#test/support/several.ts'
import { sharedStoresMissing, startSharedStores } from '#test/support/storage/shared-stores.ts'

const MAIN = resolve(import.meta.dirname, '../../../bin/aloft.js')

/** Only stores that other machines can reach are shared with them. */
const [host] = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .filter(({ family, internal }) => family === 'IPv4' && !internal)
  .map(({ address }) => address)

const skip =
  sharedStoresMissing ||
  (isSeveral && 'its settings name the database') ||
  (host === undefined && 'this machine has no address that others could reach')

test('a machine that joins serves what runs on another, with no settings but those it was given', {
  skip,
}, async (t) => {
  const address = host ?? assert.fail()
  const stores = await startSharedStores()
  t.after(() => stores.stop())
  const reachable = async (socket: string) => {
    const port = await freePort()
    const relay = new SocketRelay({ host: address, port }, socket)
    await relay.open()
    t.after(() => relay.close())
    return `${address}:${port}`
  }
  const database = new URL(stores.env.ALOFT_DATABASE_URL)
  const postgres = await reachable(join(database.searchParams.get('host') ?? '', '.s.PGSQL.5432'))
  const redis = await reachable(stores.redis.socket)
  const { ALOFT_MASTER_KEY: _, ...env } = stores.env
  const cluster = await freePort()
  const first = await install({
    env: {
      ...env,
      ALOFT_DATABASE_URL: `postgres://postgres@${postgres}${database.pathname}`,
      ALOFT_REDIS_URL: `redis://${redis}`,
      ALOFT_CLUSTER_ADDRESS: `${address}:${cluster}`,
    },
  })
  const site = await deployed(first, {
    name: 'joined',
    files: {
      'index.html': 'of the first machine',
      'api/where.js': `module.exports = (req, res) => res.end(process.env.SECRET + ' ' + req.url)\n`,
    },
    env: { SECRET: 'kept' },
  })

  const place = await makePlace({ operator: false })
  const desk = openDesk(first.url, first.token)
  t.after(async () => {
    desk.clear()
    for (const { folder } of [place, first]) await uninstall({ folder })
  })
  const invitation = await desk.run(place.folder, 'operator', 'join', '--json')
  const [, ...line] = JSON.parse(invitation.stdout).line.split(' ')
  const joined = await desk.aloft(place.folder, ...line, '--role', 'serve')
  assert.equal(joined.code, 0, joined.stderr)
  const file = join(place.folder, 'aloft.config.json')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const key = (await readFile(join(first.folder, 'data/master.key'), 'utf8')).trim()
  assert.equal(JSON.parse(await readFile(file, 'utf8')).ALOFT_MASTER_KEY, key)

  // Only its ports and its data folder differ, as both are on one machine.
  const second = await place.start({ program: [process.execPath, MAIN, 'server', '--role', 'serve'] })
  assert.equal((await visit(second, site.url, { path: '/' })).text, 'of the first machine')
  const called = await visit(second, site.url, { path: '/api/where' })
  assert.deepEqual([called.status, called.text], [200, 'kept /api/where'])

  // What it leased is not to be had without a certificate.
  const socket = connect({ host: address, port: cluster, rejectUnauthorized: false })
  const [error] = await once(
    socket.on('secureConnect', () => socket.write('GET / HTTP/1.1\r\n\r\n')),
    'error',
  )
  assert.match(String(error.code), /CERTIFICATE_REQUIRED|ECONNRESET/)

  // What serves and what works is listed apart, of the first machine as well.
  const listed = await desk.run(place.folder, 'operator', 'machines', '--json')
  const { machines } = JSON.parse(listed.stdout) as { machines: { role: string; isAlive: boolean }[] }
  assert.deepEqual(machines.map(({ role, isAlive }) => `${role} ${isAlive}`).toSorted(), [
    'serve true',
    'serve true',
    'work true',
  ])
  const again = await desk.run(first.folder, ...line)
  assert.notEqual(again.code, 0, 'an invitation is for one machine')
  await second.stop()
  await first.stop()
})
