import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { after, before, test } from 'node:test'
import { createTrustedProxies } from '#core/access/trusted-proxies.ts'
import { createListeners, type Listeners } from '#listener/listener.ts'
import { clock, silent, testAuthority } from '#test/support/http/listener.ts'
import { readConfig } from '../../config/config.ts'
import { redirectsToHttps, redirectToHttps, withoutPlain } from './https-redirect.ts'
import { createCertificateChooser } from './tls-certificates.ts'

const CERTIFIED = 'www.example.com'
const taken: string[] = []
let listeners: Listeners
let ports: { readonly port: number; readonly tlsPort: number }

const configWith = (env: Record<string, string>) =>
  readConfig({ ALOFT_DOMAIN: 'aloft.example', ALOFT_TLS_PORT: '8443', ALOFT_HTTPS_REDIRECT: 'on', ...env })

before(async () => {
  const { issuer } = await testAuthority()
  const config = configWith({})
  const { certificateFor } = createCertificateChooser({
    issuer,
    domain: config.domain,
    apiHosts: ['api.aloft.example'],
    clock,
    log: silent,
    max: 10,
    custom: async (name) => (name === CERTIFIED ? issuer.issue([name]) : undefined),
  })
  listeners = createListeners({
    host: '127.0.0.1',
    port: 0,
    tlsPort: 'any',
    handle: redirectToHttps(config, certificateFor, (_req, res) => void res.end('served')),
    fastLane: withoutPlain(config, {
      take(socket, handOver) {
        taken.push('encrypted' in socket ? 'secure' : 'plain')
        handOver(socket)
      },
      takeHttp2: () => {},
      takeStream: () => false,
      release: () => {},
    }),
    certificateFor,
    trustedProxies: createTrustedProxies(['127.0.0.3']),
    log: silent,
  })
  ports = await listeners.listen()
})

after(() => listeners?.drain(500))

interface GetOptions {
  readonly secure?: boolean
  readonly method?: string
  readonly localAddress?: string
  readonly proto?: string
}

async function get(host: string, path = '/', options: GetOptions = {}) {
  const { secure = false, method = 'GET', localAddress = '127.0.0.1', proto } = options
  const headers = { host, ...(proto === undefined ? {} : { 'x-forwarded-proto': proto }) }
  const common = { host: '127.0.0.1', localAddress, path, method, headers, agent: false as const }
  const sent = secure
    ? secureRequest({ ...common, port: ports.tlsPort, servername: host, rejectUnauthorized: false })
    : request({ ...common, port: ports.port })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode, location: response.headers.location, body }
}

test('visitors of a custom host with a certificate are sent to HTTPS, with path and query as they are', async () => {
  for (const method of ['GET', 'POST'])
    assert.deepEqual(await get('WWW.example.com:3000', '/a%20b?c=//d', { method }), {
      status: 308,
      location: `https://${CERTIFIED}:8443/a%20b?c=//d`,
      body: '',
    })
})

test('everybody else is served: by HTTPS, without a certificate, on the platform, and authorities', async () => {
  const served = { status: 200, location: undefined, body: 'served' }
  assert.deepEqual(await get(CERTIFIED, '/', { secure: true }), served)
  for (const host of ['other.example.com', 'site.aloft.example', 'aloft.example', 'localhost', '127.0.0.1'])
    assert.deepEqual(await get(host), served, host)
  assert.deepEqual(await get(CERTIFIED, '/.well-known/acme-challenge/token'), served)
})

test('behind a proxy it counts how the visitor has come to it, not how it comes here', async () => {
  const localAddress = '127.0.0.3'
  for (const secure of [false, true]) {
    assert.equal((await get(CERTIFIED, '/', { secure, localAddress, proto: 'https' })).status, 200)
    assert.equal((await get(CERTIFIED, '/', { secure, localAddress, proto: 'http' })).status, 308)
  }
  assert.equal((await get(CERTIFIED, '/', { proto: 'https' })).status, 308, 'nobody else says so')
})

test('plain connections pass by the lane that would answer without looking', async () => {
  taken.length = 0
  await get(CERTIFIED)
  await get(CERTIFIED, '/', { secure: true })
  assert.deepEqual(taken, ['secure'])
  const lane = { take: () => {}, takeHttp2: () => {}, takeStream: () => false, release: () => {} }
  assert.equal(withoutPlain(configWith({ ALOFT_HTTPS_REDIRECT: 'off' }), lane), lane)
})

test('by itself it is on only where TLS is public', () => {
  const acme = { ALOFT_ACME_DIRECTORY: 'https://authority.example/directory' }
  const cases: readonly [Record<string, string>, boolean][] = [
    [{ ALOFT_HTTPS_REDIRECT: 'auto', ALOFT_TLS_PORT: '443', ...acme }, true],
    [{ ALOFT_HTTPS_REDIRECT: 'auto', ALOFT_TLS_PORT: '443' }, false],
    [{ ALOFT_HTTPS_REDIRECT: 'auto', ALOFT_TLS_PORT: '8443', ...acme }, false],
    [{ ALOFT_HTTPS_REDIRECT: 'off', ALOFT_TLS_PORT: '443', ...acme }, false],
    [{ ALOFT_HTTPS_REDIRECT: 'on', ALOFT_TLS_PORT: '0' }, false],
  ]
  for (const [env, expected] of cases) assert.equal(redirectsToHttps(configWith(env)), expected)
})
