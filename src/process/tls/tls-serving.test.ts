import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { DAY, HOUR } from '#contract/time.ts'
import type { Certificate } from '#core/certificate/certificate.ts'
import { createListeners, type Listeners } from '#listener/listener.ts'
import { silent } from '#test/support/http/listener.ts'
import { sampleAlias, sampleDeployment, sampleDomain } from '#test/support/samples.ts'
import { type Account, startServer, type TestServer } from '#test/support/server.ts'
import { makeAuthority, makeLeaf, type Signer } from '#test/support/tls/pki.ts'
import { readConfig } from '../../config/config.ts'
import { chooseCertificates } from './tls-serving.ts'

const run = promisify(execFile)

let server: TestServer
let account: Account
let authority: Signer
let listeners: Listeners
let port: number

before(async () => {
  server = await startServer()
  account = await server.signUp()
  authority = await makeAuthority()
  listeners = createListeners({
    host: '127.0.0.1',
    port: 0,
    tlsPort: 'any',
    handle: (_req, res) => void res.end('served'),
    certificateFor: await chooseCertificates(readConfig({}), server.parts),
    log: silent,
  })
  port = (await listeners.listen()).tlsPort
})

after(async () => {
  await listeners?.drain(500)
  await server?.close()
})

const verified = (name: string, given = {}) =>
  server.parts.stores.domains.add(sampleDomain({ ownerId: account.id, name, txtVerifiedAt: 1, ...given }))

async function serveAlias(host: string): Promise<void> {
  const { deployments, hosts } = server.parts.stores
  const deployment = sampleDeployment({ ownerId: account.id })
  await deployments.insert(deployment, { manifest: [], sealedEnv: '' })
  const alias = sampleAlias({ deploymentId: deployment.id, ownerId: account.id, host })
  assert.equal(await hosts.claimAlias(alias), true)
}

async function open(servername: string): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  return socket
}

/** What a client that names this host is shown. */
async function shown(servername: string): Promise<X509Certificate> {
  const socket = await open(servername)
  const certificate = socket.getPeerX509Certificate()
  socket.destroy()
  assert.ok(certificate)
  return certificate
}

const namesOf = async (servername: string) => (await shown(servername)).subjectAltName
const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256
const call = (on: string, body?: object) => server.call(on, { token: account.token, body })
const upload = ({ cert, key }: Signer) => call('PUT /v3/platform/certs', { ca: authority.cert, cert, key })
const all = (): Promise<readonly Certificate[]> =>
  server.parts.stores.certificates.list(account.id, { limit: 100 }).then(({ items }) => items)

test('the best certificate is shown: exact and uploaded, exact and issued, wildcard, the platform’s', async () => {
  await verified('order.example', { nameservers: ['ns1.localhost', 'ns2.localhost'] })
  const host = 'www.order.example'
  const platform = await namesOf(host)
  assert.match(platform ?? '', /DNS:localhost/)

  await call('POST /v3/platform/certs', { domains: ['*.order.example'] })
  assert.equal(await namesOf(host), 'DNS:*.order.example')
  assert.equal(await namesOf('order.example'), platform)
  assert.equal(await namesOf('a.b.order.example'), platform)

  await call('POST /v3/platform/certs', { domains: [host] })
  assert.equal(await namesOf(host), `DNS:${host}`)
  assert.equal(await namesOf('other.order.example'), 'DNS:*.order.example')

  const own = await makeLeaf(authority, [host, 'shop.order.example'])
  assert.equal((await upload(own)).status, 200)
  assert.equal((await shown(host)).fingerprint256, fingerprint(own.cert))
  const wild = await makeLeaf(authority, ['*.order.example'])
  await upload(wild)
  assert.equal((await shown(host)).fingerprint256, fingerprint(own.cert))
  assert.equal((await shown('other.order.example')).fingerprint256, fingerprint(wild.cert))
})

test('openssl is shown the certificate with the ones between it and its authority', async () => {
  await verified('chain.example')
  const middle = await makeAuthority(authority)
  const leaf = await makeLeaf(middle, ['chain.example'], { rsa: true })
  await call('PUT /v3/platform/certs', {
    ca: authority.cert + middle.cert,
    cert: leaf.cert,
    key: leaf.key,
  })
  const client = run('openssl', [
    's_client',
    '-connect',
    `127.0.0.1:${port}`,
    '-servername',
    'chain.example',
    '-showcerts',
  ])
  client.child.stdin?.end()
  const { stdout } = await client.catch((error: { stdout: string }) => error)
  const sent = stdout.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  assert.deepEqual(sent.slice(0, 2).map(fingerprint), [fingerprint(leaf.cert), fingerprint(middle.cert)])
  assert.doesNotMatch(stdout, new RegExp(`s:${authority.subject}`))
})

test('a certificate is replaced while connections are open, and none of them is cut', async () => {
  await verified('replaced.example')
  const [first, second] = [
    await makeLeaf(authority, ['replaced.example']),
    await makeLeaf(authority, ['replaced.example'], { rsa: true }),
  ]
  await upload(first)
  const socket = await open('replaced.example')
  assert.equal(socket.getPeerX509Certificate()?.fingerprint256, fingerprint(first.cert))
  await upload(second)
  assert.equal((await shown('replaced.example')).fingerprint256, fingerprint(second.cert))
  socket.write('GET / HTTP/1.1\r\nHost: replaced.example\r\nConnection: close\r\n\r\n')
  assert.match(Buffer.concat(await socket.toArray()).toString(), /^HTTP\/1\.1 200 .*served/s)
})

test('a host that is served gets its certificate in its first handshake, and no other host does', async () => {
  await verified('fresh.example')
  const platform = await namesOf('never.fresh.example')
  await serveAlias('www.fresh.example')
  assert.equal(await namesOf('www.fresh.example'), 'DNS:www.fresh.example')
  const made = (await all()).filter(({ names }) => names[0]?.endsWith('fresh.example'))
  assert.deepEqual(
    made.map(({ source, autoRenew, names }) => [source, autoRenew, names]),
    [['automatic', true, ['www.fresh.example']]],
  )
  const { body: asked } = await call('POST /v3/platform/certs', { domains: ['www.fresh.example'] })
  assert.equal(asked.uid, made[0]?.id)
  assert.equal((await all()).find(({ id }) => id === asked.uid)?.source, 'issued')
  assert.equal(await namesOf('unknown.test'), platform)
  assert.equal(await namesOf('other.fresh.example'), platform)
})

test('a wildcard alias is served by one certificate, whichever host comes first', async () => {
  await verified('many.example', { nameservers: ['ns1.localhost', 'ns2.localhost'] })
  await serveAlias('*.many.example')
  assert.equal(await namesOf('a.many.example'), 'DNS:*.many.example')
  const first = await shown('b.many.example')
  assert.equal((await shown('c.many.example')).fingerprint256, first.fingerprint256)
})

test('what was deleted is followed by an automatic one, and what another account has is not shown', async () => {
  await verified('deleted.example')
  await serveAlias('deleted.example')
  const own = await makeLeaf(authority, ['deleted.example'])
  await upload(own)
  assert.equal((await shown('deleted.example')).fingerprint256, fingerprint(own.cert))
  assert.equal((await call('DELETE /platform/certs/deleted.example')).status, 200)
  await server.runJobs()
  const [next] = (await all()).filter(({ names }) => names.includes('deleted.example'))
  assert.equal(next?.source, 'automatic')
  assert.equal((await shown('deleted.example')).fingerprint256, fingerprint(next?.cert ?? ''))
  assert.equal((await call('GET /v3/platform/certs')).body.certs[0].uid, next?.id)

  const { certificates } = server.parts.stores
  const foreign = await makeLeaf(authority, ['deleted.example'])
  const stranger = { ...(next as Certificate), id: 'cert_stranger', ownerId: 'another', cert: foreign.cert }
  await certificates.add({ ...stranger, source: 'uploaded', createdAt: Date.now() + DAY })
  server.parts.bus.publish('certificates', 'deleted.example')
  assert.equal((await shown('deleted.example')).fingerprint256, fingerprint(next?.cert ?? ''))
})

test('an alias that is assigned has its certificate before anybody visits it', async () => {
  await verified('assigned.example')
  const { body: deployment } = await call('POST /v8/platform/deployments', {
    name: 'assigned',
    version: 2,
    files: [{ file: 'index.html', data: 'assigned' }],
  })
  const assigned = await call(`POST /v2/platform/deployments/${deployment.id}/aliases`, {
    alias: 'www.assigned.example',
  })
  assert.equal(assigned.status, 200)
  const isMade = async () => {
    await server.runJobs()
    return (await all()).some(({ names }) => names.includes('www.assigned.example'))
  }
  while (!(await isMade())) await new Promise(setImmediate)
  assert.equal(await namesOf('www.assigned.example'), 'DNS:www.assigned.example')
})

test('hosts that a dead process forgot are found, and certificates are renewed in time', async () => {
  await verified('forgotten.example')
  await serveAlias('forgotten.example')
  const runNow = async (kind: string) => {
    await server.parts.stores.jobs.enqueue({ kind, payload: {} })
    await server.runJobs()
  }
  const find = async () => (await all()).find(({ names }) => names.includes('forgotten.example'))
  await runNow('certificates.sweep')
  const first = await find()
  assert.equal(first?.source, 'automatic')
  await runNow('certificates.renew')
  assert.equal((await find())?.cert, first?.cert, 'it is too early')

  server.clock.advance(60 * DAY + HOUR)
  await runNow('certificates.renew')
  const second = await find()
  assert.equal(second?.id, first?.id)
  assert.notEqual(second?.cert, first?.cert)
  assert.equal((await shown('forgotten.example')).fingerprint256, fingerprint(second?.cert ?? ''))
})
