import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from 'node:tls'
import { deployed } from '#test/support/deploying.ts'
import { freePort } from '#test/support/free-port.ts'
import {
  type Installation,
  install,
  NOTHING_RUNS,
  TWO_SERVING,
  uninstall,
} from '#test/support/installation.ts'
import { type Pebble, startPebble, withoutPebble } from '#test/support/tls/pebble.ts'

const PLATFORM = 'aloft.example'
const DOMAIN = 'acme-e2e.com'

suite('an installation with a public certificate authority', { skip: withoutPebble }, () => {
  let pebble: Pebble
  let aloft: Installation

  before(async () => {
    const [port, tlsPort, dnsPort] = [await freePort(), await freePort(), await freePort()]
    pebble = await startPebble({ httpPort: port, tlsPort, dnsPort })
    aloft = await install({
      ports: { port, tlsPort },
      env: {
        ...TWO_SERVING,
        ...NOTHING_RUNS,
        ALOFT_ACME_DIRECTORY: pebble.directory,
        ALOFT_DOMAIN: PLATFORM,
        ALOFT_ACME_EMAIL: 'operator@aloft.test',
        ALOFT_DNS_PORT: String(dnsPort),
        NODE_EXTRA_CA_CERTS: pebble.trustedFile,
      },
    })
  })
  after(async () => {
    await aloft?.stop('SIGKILL')
    await pebble?.stop()
    if (aloft) await uninstall(aloft)
  })

  async function call<T>(on: string, body?: unknown): Promise<T> {
    const [method = '', path = ''] = on.split(' ')
    const answer = await fetch(`${aloft.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${aloft.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    assert.ok(answer.ok, `${on}: ${answer.status} ${text}\n${aloft.stderr()}`)
    return text === '' ? (undefined as T) : JSON.parse(text)
  }

  /** The names on the certificate that a visitor gets who trusts the authority's root alone. */
  async function trustedNames(servername: string): Promise<string | undefined> {
    const socket = connect({ host: '127.0.0.1', port: aloft.tlsPort, servername, ca: await pebble.root() })
    try {
      await once(socket, 'secureConnect')
      return socket.getPeerX509Certificate()?.subjectAltName
    } catch {
      return undefined
    } finally {
      socket.destroy()
    }
  }

  /** It takes a moment until there is one, and no event tells of it outside. */
  async function untilTrusted(servername: string): Promise<string | undefined> {
    for (let looks = 0; looks < 200; looks++) {
      const names = await trustedNames(servername)
      if (names !== undefined) return names
      await pause(100)
    }
    return undefined
  }

  test('a domain is bought, a host of it shows a site, and gets its certificate by itself', async () => {
    const { price } = await call<{ price: number }>(`GET /v4/domains/price?name=${DOMAIN}`)
    await call('POST /v4/domains/buy', { name: DOMAIN, expectedPrice: price })
    const { id } = await deployed(aloft, { name: 'shop', files: { 'index.html': 'the shop' } })
    await call(`POST /v2/platform/deployments/${id}/aliases`, { alias: `www.${DOMAIN}` })
    assert.equal(await untilTrusted(`www.${DOMAIN}`), `DNS:www.${DOMAIN}`, aloft.stderr())
  })

  test('sites and the API under the domain of the platform share a wildcard', async () => {
    for (const host of [`shop.${PLATFORM}`, `api.${PLATFORM}`])
      assert.equal(await untilTrusted(host), `DNS:*.${PLATFORM}, DNS:${PLATFORM}`, aloft.stderr())
  })

  test('a wildcard that somebody asks for is issued by DNS and served', async () => {
    const { uid } = await call<{ uid: string }>('POST /v3/platform/certs', {
      domains: [DOMAIN, `*.${DOMAIN}`],
    })
    assert.match(uid, /^cert_/)
    assert.equal(await trustedNames(`other.${DOMAIN}`), `DNS:*.${DOMAIN}, DNS:${DOMAIN}`)
  })
})
