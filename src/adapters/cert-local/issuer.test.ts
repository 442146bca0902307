import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { DAY } from '#contract/time.ts'
import { clockOf } from '#test/support/clock.ts'
import { type Authority, createAuthority } from './authority.ts'
import { createLocalIssuer } from './issuer.ts'

const NOW = Date.UTC(2030, 0, 1)
const clock = clockOf(() => NOW)
let authority: Authority

before(async () => {
  authority = await createAuthority(clock)
})

const issuer = () => createLocalIssuer({ ...authority, clock })

test('a certificate names its hosts and addresses, lives ninety days and chains to the authority', async () => {
  const { cert, key, notAfter } = await issuer().issue(['example.com', '*.example.com', '127.0.0.1', '::1'])
  const leaf = new X509Certificate(cert)
  assert.equal(
    leaf.subjectAltName,
    'DNS:example.com, DNS:*.example.com, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  )
  assert.equal(leaf.validFromDate.getTime(), NOW - 3_600_000)
  assert.equal(leaf.validToDate.getTime(), NOW + 90 * DAY)
  assert.equal(notAfter, NOW + 90 * DAY)
  assert.equal(leaf.ca, false)
  assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  assert.ok(leaf.checkPrivateKey(createPrivateKey(key)))
  assert.ok(leaf.checkIssued(new X509Certificate(authority.certPem)))
  assert.ok(leaf.verify(new X509Certificate(authority.certPem).publicKey))
  assert.ok(cert.endsWith(authority.certPem))
})

test('OpenSSL accepts the chain strictly as that of a server, and finds the extensions', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'aloft-issuer-'))
  t.after(() => rm(dir, { recursive: true }))
  const [ca, leaf] = [join(dir, 'ca.pem'), join(dir, 'leaf.pem')]
  await writeFile(ca, authority.certPem)
  await writeFile(leaf, (await issuer().issue(['localhost'])).cert)
  const openssl = async (...args: string[]) => (await promisify(execFile)('openssl', args)).stdout
  const at = ['-attime', String(NOW / 1000)]
  const verified = await openssl(
    'verify',
    '-x509_strict',
    ...at,
    '-purpose',
    'sslserver',
    '-CAfile',
    ca,
    leaf,
  )
  assert.match(verified, /: OK/)
  const shown = await openssl('x509', '-in', leaf, '-noout', '-text')
  for (const part of [/CA:FALSE/, /Digital Signature/, /Authority Key Identifier/, /Subject Key Identifier/])
    assert.match(shown, part)
  const authorityShown = await openssl('x509', '-in', ca, '-noout', '-text')
  for (const part of [/CA:TRUE, pathlen:0/, /Certificate Sign, CRL Sign/, /Subject Key Identifier/])
    assert.match(authorityShown, part)
})

test('keys and serial numbers are never used twice', async () => {
  const { issue } = issuer()
  const issued = await Promise.all(Array.from({ length: 8 }, () => issue(['a.localhost'])))
  const serials = issued.map(({ cert }) => new X509Certificate(cert).serialNumber)
  assert.equal(new Set(serials).size, 8)
  assert.equal(new Set(issued.map(({ key }) => key)).size, 8)
  for (const serial of serials) assert.match(serial, /^[0-9A-F]{24,32}$/)
})

test('a name too long for a subject is in the alternative names alone', async () => {
  const name = `${'a'.repeat(60)}.example.com`
  const leaf = new X509Certificate((await issuer().issue([name])).cert)
  assert.equal(leaf.subjectAltName, `DNS:${name}`)
  assert.equal(leaf.subject ?? '', '')
})

test('no certificate outlives its authority', async () => {
  const late = createLocalIssuer({ ...authority, clock: clockOf(() => NOW + 3600 * DAY) })
  const { cert, notAfter } = await late.issue(['localhost'])
  const end = new X509Certificate(authority.certPem).validToDate.getTime()
  assert.equal(notAfter, end)
  assert.equal(new X509Certificate(cert).validToDate.getTime(), end)
})

test('an expired authority issues nothing', async () => {
  const late = createLocalIssuer({ ...authority, clock: clockOf(() => NOW + 3651 * DAY) })
  await assert.rejects(late.issue(['localhost']), /expired/)
})

test('a key of another authority is refused at once', async () => {
  const { keyPem } = await createAuthority(clock)
  assert.throws(() => createLocalIssuer({ ...authority, keyPem, clock }), /does not belong/)
})

test('names that are none are refused', async () => {
  await assert.rejects(issuer().issue(['not a name']), /"not a name"/)
})
