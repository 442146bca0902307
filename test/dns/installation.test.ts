import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { withoutBind } from '#test/support/dns/bind.ts'
import { freePort } from '#test/support/free-port.ts'
import { type Installation, install, NOTHING_RUNS, TWO_SERVING } from '#test/support/installation.ts'

const ATTEMPTS = 500
/** Each from a port of its own, so that every serving process is asked. */
const ASKERS = 6

let aloft: Installation
let dnsPort: number

before(async () => {
  if (withoutBind) return
  dnsPort = await freePort()
  aloft = await install({
    env: {
      ...TWO_SERVING,
      ...NOTHING_RUNS,
      ALOFT_DNS_PORT: String(dnsPort),
      ALOFT_DOMAIN: 'platform.test',
      ALOFT_PUBLIC_ADDRESSES: '192.0.2.10,2001:db8::10',
    },
  })
})

after(async () => {
  if (!aloft) return
  await aloft.remove()
})

async function dig(...args: readonly string[]): Promise<string> {
  const server = ['@127.0.0.1', '-p', String(dnsPort), '+tries=1', '+time=5']
  const { stdout } = await promisify(execFile)('/usr/bin/dig', [...server, '+short', ...args])
  return stdout.trim().split('\n').sort().join(' ')
}

/** Until every process says so. */
async function untilAllSay(expected: string, ...args: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const said = new Set(await Promise.all(Array.from({ length: ASKERS }, () => dig(...args))))
    if (said.size === 1 && said.has(expected)) return
    assert.ok(attempt < ATTEMPTS, `${args.join(' ')}: ${[...said].join(' | ')} instead of ${expected}`)
  }
}

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${aloft.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${aloft.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
  return text === '' ? {} : JSON.parse(text)
}

test('the names of the platform have its addresses', { skip: withoutBind }, async () => {
  for (const name of [
    'platform.test',
    'anything.platform.test',
    'ns1.platform.test',
    'alias.platform.test',
  ]) {
    assert.equal(await dig(name, 'A'), '192.0.2.10')
    assert.equal(await dig('+tcp', name, 'AAAA'), '2001:db8::10')
  }
  assert.equal(await dig('platform.test', 'NS'), 'ns1.platform.test. ns2.platform.test.')
})

test('a domain that is bought answers at once; its records come and go with it', {
  skip: withoutBind,
}, async () => {
  const name = 'a-fresh-name.com'
  assert.equal(await dig(name, 'A'), '')
  await call('POST', '/v4/domains/buy', { name, expectedPrice: 12 })
  await untilAllSay('192.0.2.10', name, 'A')
  await untilAllSay('2001:db8::10', '+tcp', name, 'AAAA')
  await untilAllSay('alias.platform.test.', `www.${name}`, 'A')
  await untilAllSay('0 issue "letsencrypt.org"', name, 'CAA')
  await untilAllSay('ns1.platform.test. ns2.platform.test.', name, 'NS')

  const { uid } = await call('POST', `/v2/domains/${name}/records`, {
    name: 'www',
    type: 'A',
    value: '192.0.2.99',
  })
  await untilAllSay('192.0.2.99', `www.${name}`, 'A')
  await call('DELETE', `/v2/domains/${name}/records/${uid}`)
  await untilAllSay('alias.platform.test.', `www.${name}`, 'A')

  const metrics = await (
    await fetch(`${aloft.url}/metrics`, { headers: { authorization: `Bearer ${aloft.token}` } })
  ).text()
  assert.match(metrics, /aloft_dns_answers_total\{rcode="NOERROR"\} [1-9]/)
})
