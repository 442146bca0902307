import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'
import os from 'node:os'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { type Config, ConfigError, readConfig, unknownVariables } from './config.ts'
import { configDocs } from './config-docs.ts'
import { SETTINGS } from './settings.ts'

const mistakesOf = (env: Record<string, string>, file: Record<string, unknown> = {}): readonly string[] => {
  try {
    readConfig(env, file)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.mistakes
  }
}

test('an empty environment gives the documented defaults, bound to loopback', () => {
  const config = readConfig({})
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.port, 3000)
  assert.equal(config.tlsPort, 3443)
  assert.equal(config.dnsPort, 5300)
  assert.equal(config.baseUrl, 'http://localhost:3000')
  assert.deepEqual(config.apiHosts, ['localhost', '127.0.0.1', '[::1]', 'api.localhost'])
  assert.equal(config.defaultPlan, 'enterprise')
  assert.equal(config.rateLimit, undefined)
  assert.ok(Object.isFrozen(config))
})

test('the environment wins over the file, and the file over the default', () => {
  const file = { port: 8000, domain: 'file.example', apiHosts: ['a.example', 'b.example'] }
  const config = readConfig({ ALOFT_PORT: '9000' }, file)
  assert.equal(config.port, 9000)
  assert.equal(config.domain, 'file.example')
  assert.deepEqual(config.apiHosts, ['a.example', 'b.example'])
  assert.equal(config.baseUrl, 'http://localhost:9000')
})

test('the world is told the addresses that listeners bind, or those that the machine has', () => {
  assert.deepEqual(readConfig({}).publicAddresses, ['127.0.0.1'])
  assert.deepEqual(readConfig({ ALOFT_HOST: '10.1.2.3' }).publicAddresses, ['10.1.2.3'])
  for (const host of ['0.0.0.0', '::', 'machine.example'])
    for (const address of readConfig({ ALOFT_HOST: host }).publicAddresses)
      assert.ok(isIP(address) !== 0 && !/^[0.:]+$/.test(address), `${host}: ${address}`)
  const given = readConfig({ ALOFT_PUBLIC_ADDRESSES: '192.0.2.1, 2001:db8::1' })
  assert.deepEqual(given.publicAddresses, ['192.0.2.1', '2001:db8::1'])
})

test('a machine that listens on IPv4 alone tells the world no other addresses', (t) => {
  const on = (address: string, family: string, internal = false) => ({ address, family, internal })
  const interfaces = t.mock.method(os, 'networkInterfaces', () => ({
    lo: [on('127.0.0.1', 'IPv4', true)],
    eth0: [on('192.0.2.2', 'IPv4'), on('2001:db8::2', 'IPv6'), on('fe80::1', 'IPv6')],
  }))
  syncBuiltinESMExports()
  t.after(() => {
    interfaces.mock.restore()
    syncBuiltinESMExports()
  })
  assert.deepEqual(readConfig({ ALOFT_HOST: '0.0.0.0' }).publicAddresses, ['192.0.2.2'])
  assert.deepEqual(readConfig({ ALOFT_HOST: '::' }).publicAddresses, ['192.0.2.2', '2001:db8::2'])
})

test('defaults follow the settings they are derived from', () => {
  assert.deepEqual(readConfig({ ALOFT_DOMAIN: 'Example.COM' }).nameservers, [
    'ns1.example.com',
    'ns2.example.com',
  ])
  assert.deepEqual(readConfig({ ALOFT_DOMAIN: 'Example.COM' }).apiHosts.at(-1), 'api.example.com')
  assert.equal(readConfig({ ALOFT_HOST: '10.1.2.3', ALOFT_PORT: '80' }).baseUrl, 'http://10.1.2.3')
  for (const url of ['https://api.example.com/', 'HTTPS://API.Example.com:443'])
    assert.equal(readConfig({ ALOFT_BASE_URL: url }).baseUrl, 'https://api.example.com')
  assert.equal(readConfig({ ALOFT_HOST: 'LocalHost' }).host, 'localhost')
})

test('prices are read by what comes after a name, in whatever case', () => {
  const { domainPrices } = readConfig({ ALOFT_DOMAIN_PRICES: 'COM=9, co.uk=7' })
  assert.deepEqual(
    [...domainPrices],
    [
      ['com', 9],
      ['co.uk', 7],
    ],
  )
  assert.equal(readConfig({}).domainPrices.get('io'), 39)
})

const refused: [string, string, RegExp][] = [
  ['ALOFT_PORT', '0', /from 1 to 65535/],
  ['ALOFT_PORT', '65536', /from 1 to 65535/],
  ['ALOFT_PORT', '1e3', /from 1 to 65535/],
  ['ALOFT_TLS_PORT', '-1', /from 0 to 65535/],
  ['ALOFT_TLS_PORT', '3000', /is already used by ALOFT_PORT/],
  ['ALOFT_DNS_PORT', '3443', /already used by another listener/],
  ['ALOFT_DNS_NETWORKS', '10.0.0.0/33=bru1', /203\.0\.113\.0\/24=bru1/],
  ['ALOFT_DNS_NETWORKS', '10.0.0.0/8=mars1', /203\.0\.113\.0\/24=bru1/],
  ['ALOFT_ORIGIN', 'fra1', /bru1, hnd1, iad1, sfo1/],
  ['ALOFT_DOMAIN', 'no_such', /host name/],
  ['ALOFT_API_HOSTS', 'a b', /separated by commas/],
  ['ALOFT_DATABASE_URL', 'mysql://x', /postgres:\/\//],
  ['ALOFT_DATABASE_URL', 'postgres://one:5432,two:port/x', /commas between several hosts/],
  ['ALOFT_DATABASE_URL', 'postgres://one,two/x?target_session_attrs=standby', /only read-write or primary/],
  ['ALOFT_BLOB_URL', 'file:///x', /s3:\/\//],
  ['ALOFT_REDIS_URL', 'http://x', /redis:\/\//],
  ['ALOFT_SMTP_URL', 'mail.example', /smtp:\/\//],
  ['ALOFT_RESOLVERS', '1.1.1.1', /ip:port/],
  ['ALOFT_NAMESERVERS', 'ns1.example.com,ns1.example.com', /different host names/],
  ['ALOFT_NAMESERVERS', 'ns1.example.com,', /different host names/],
  ['ALOFT_PUBLIC_ADDRESSES', 'example.com', /IP addresses/],
  ['ALOFT_PUBLIC_ADDRESSES', 'fe80::1%eth0', /IP addresses/],
  ['ALOFT_REGISTRAR', 'godaddy', /sandbox, name\.com/],
  ['ALOFT_REGISTRAR', 'name.com', /ALOFT_REGISTRAR_USER and ALOFT_REGISTRAR_KEY/],
  ['ALOFT_REGISTRAR_URL', 'api.name.com', /https:\/\//],
  ['ALOFT_DOMAIN_PRICES', 'com=12,net', /com=12/],
  ['ALOFT_DOMAIN_PRICES', 'com=9.99', /com=12/],
  ['ALOFT_TRANSFER_MINUTES', '0', /whole number/],
  ['ALOFT_RATE_LIMIT', '0', /whole number/],
  ['ALOFT_WORKERS', 'many', /whole number/],
  ['ALOFT_DEFAULT_PLAN', 'gold', /oss, free, pro, enterprise/],
  ['ALOFT_SANDBOX', 'yes', /required, auto, off/],
  ['ALOFT_RUNTIME', 'lxc', /process, docker, swarm/],
  ['ALOFT_MASTER_KEY', 'short', /32 bytes/],
  ['ALOFT_BOOTSTRAP_EMAIL', 'a@b.example', /set both or none/],
  ['ALOFT_DATA_DIR', ' ', /a path without control characters/],
  ['ALOFT_DATA_DIR', 'a\nb', /a path without control characters/],
  ['ALOFT_HOST', 'a b', /an IP address of this machine/],
  ['ALOFT_HOST', '999.1.1.1', /an IP address of this machine/],
  ['ALOFT_HOST', '999999999', /an IP address of this machine/],
  ['ALOFT_HOST', '127.0.0.1\n', /an IP address of this machine/],
  ['ALOFT_HOST', 'fe80::1%eth0', /an IP address of this machine/],
  ['ALOFT_RESOLVERS', '999.1.1.1:53', /ip:port/],
  ['ALOFT_RESOLVERS', '1.1.1.1:0', /ip:port/],
  ['ALOFT_BASE_URL', 'https:api.example.com', /https:\/\//],
  ['ALOFT_BASE_URL', 'https://api.example.com\n', /https:\/\//],
  ['ALOFT_BASE_URL', 'https://api.example.com/?a', /without a user/],
  ['ALOFT_BLOB_FROM', 's3://bucket', /AWS_ACCESS_KEY_ID/],
  ['ALOFT_SMTP_URL', 'smtp://', /with a host/],
  ['ALOFT_WORKERS', '1025', /from 1 to 1024/],
  ['ALOFT_CACHE_BYTES', '8192T', /less than 8192T/],
  ['AWS_SECRET_ACCESS_KEY', 'key\n', /one line of text/],
  ['ALOFT_REGISTRAR_USER', ' ', /one line of text/],
]
for (const [variable, value, reason] of refused)
  test(`${variable}=${JSON.stringify(value)} is refused with one line that names it`, () => {
    const mistakes = mistakesOf({ [variable]: value })
    assert.equal(mistakes.length, 1)
    assert.match(mistakes[0] as string, new RegExp(variable))
    assert.match(mistakes[0] as string, reason)
  })

test('a mistake is one short line, whatever was given, and shows what is no secret', () => {
  for (const { variable } of Object.values(SETTINGS))
    for (const value of ['\u001b[31m\n\u0000', ' ', '9'.repeat(5000), 'ü😀\n'])
      for (const mistake of mistakesOf({ [variable]: value })) {
        assert.ok(mistake.startsWith(`${variable}: `), mistake)
        assert.doesNotMatch(mistake, /\p{Cc}/u)
        assert.ok(mistake.length < 300, mistake)
      }
  assert.match(mistakesOf({ ALOFT_BASE_URL: 'ftp://api.example' }).join(), /"ftp:\/\/api\.example"/)
  assert.match(
    mistakesOf({ ALOFT_BASE_URL: 'ftp://me:hunter2@api.example' }).join(),
    /"ftp:\/\/…@api\.example"/,
  )
})

test('a mistake of the file names the file, and what is there, also where it is no text', () => {
  const told = (file: Record<string, unknown>) => mistakesOf({}, file).join()
  assert.match(told({ port: 'x' }), /^aloft\.config\.json: port: "x" is not accepted; it should be a port/)
  assert.match(told({ ALOFT_PORT: 'x' }), /^aloft\.config\.json: ALOFT_PORT: "x" is not accepted/)
  assert.match(told({ port: { a: 1 } }), /^aloft\.config\.json: port: "\{\\"a\\":1\}" is not accepted/)
  for (const dataDir of [{}, [{}], false])
    assert.match(told({ dataDir }), /^aloft\.config\.json: dataDir: .* it should be text or a number$/)
  assert.match(
    told({ ['a\nb'.padEnd(5000, 'c')]: 1 }),
    /^aloft\.config\.json: there is no setting "a\\nbc{97}…"$/,
  )
  assert.match(mistakesOf({ ALOFT_PORT: 'y' }, { port: 'x' }).join(), /^ALOFT_PORT: "y"/)
  assert.equal(readConfig({}, { port: null }).port, 3000)
})

test('every mistake is reported at once, also those of the file', () => {
  assert.equal(mistakesOf({ ALOFT_PORT: 'x', ALOFT_ORIGIN: 'y' }, { nope: 1 }).length, 3)
})

test('secrets never print', () => {
  const key = Buffer.alloc(32, 7).toString('base64')
  const config: Config = readConfig({
    ALOFT_MASTER_KEY: key,
    ALOFT_SMTP_URL: 'smtp://u:hunter2@mail.example',
  })
  for (const printed of [inspect(config, { depth: 9 }), JSON.stringify(config), `${config.masterKey}`])
    assert.ok(!printed.includes(key) && !printed.includes('hunter2'))
  assert.equal(config.masterKey?.reveal(), key)
  assert.ok(!mistakesOf({ ALOFT_SMTP_URL: 'ftp://u:hunter2@x' }).join().includes('hunter2'))
})

test('docs/config.md is what the table says', () => {
  const page = new URL('../../docs/config.md', import.meta.url)
  assert.equal(readFileSync(page, 'utf8'), configDocs(), 'run `npm run docs`')
  for (const { variable } of Object.values(SETTINGS)) assert.ok(configDocs().includes(variable))
})

test('a misspelt variable is noticed', () => {
  assert.deepEqual(unknownVariables({ ALOFT_PROT: '1', ALOFT_PORT: '2', ALOFT_TOKEN: 'x', PATH: '' }), [
    'ALOFT_PROT',
  ])
})

test('proxies are named by address, by range, or as those of private networks', () => {
  const read = (value: string) => readConfig({ ALOFT_TRUSTED_PROXIES: value }).trustedProxies
  assert.deepEqual(readConfig({}).trustedProxies, [])
  assert.deepEqual(read('192.0.2.1, 2001:db8::/32'), ['192.0.2.1', '2001:db8::/32'])
  assert.deepEqual(read('private,192.0.2.1').slice(-2), ['fc00::/7', '192.0.2.1'])
  for (const wrong of [
    'all',
    '*',
    'Private',
    '192.0.2.1,',
    '192.0.2.1/33',
    '0.0.0.0/0',
    '::/0',
    'fe80::1%eth0',
    'nginx',
  ])
    assert.deepEqual(mistakesOf({ ALOFT_TRUSTED_PROXIES: wrong }), [
      `ALOFT_TRUSTED_PROXIES: "${wrong}" is not accepted; it should be addresses, CIDR ranges smaller than /0 or the word \`private\`, separated by commas`,
    ])
})

test('machines reach each other by address or by name', () => {
  const read = (value: string) => mistakesOf({ ALOFT_CLUSTER_ADDRESS: value }).length === 0
  for (const value of ['10.0.0.5:3500', '[2001:db8::1]:3500', 'worker-1:3500', 'aloft_aloft.1.x9:3500'])
    assert.ok(read(value), value)
  for (const value of [
    '10.0.0.5',
    '10.0.0:3500',
    '300.1.1.1:3500',
    '[::zz]:3500',
    'a/b:3500',
    'worker:0',
    ':3500',
    'a:b@c:35',
  ])
    assert.ok(!read(value), value)
})
