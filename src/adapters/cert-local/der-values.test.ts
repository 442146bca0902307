import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { write } from '#adapters/der/der.ts'
import { clockOf } from '#test/support/clock.ts'
import { x509 } from '#test/support/tls/x509.ts'
import { createAuthority } from './authority.ts'
import { bits, inside, integer, oid, sequence, time } from './der-values.ts'
import { createLocalIssuer } from './issuer.ts'
import { addressBytes } from './subject-names.ts'

const hex = (der: Buffer) => der.toString('hex')

test('numbers are never negative and have no needless zeros', () => {
  assert.equal(hex(integer(Buffer.of(0, 0, 0x7f))), '02017f')
  assert.equal(hex(integer(Buffer.of(0x80))), '02020080')
  assert.equal(hex(integer(Buffer.of(0, 0))), '020100')
})

test('lengths have as few bytes as they can, and are read again', () => {
  for (const [bytes, head] of [
    [0x7f, '047f'],
    [0x80, '048180'],
    [0xff, '0481ff'],
    [0x100, '04820100'],
  ] as const) {
    const der = write(0x04, Buffer.alloc(bytes))
    assert.equal(hex(der.subarray(0, head.length / 2)), head)
    assert.deepEqual(
      inside(sequence(der, bits(Buffer.of(1)))).map(({ length }) => length),
      [der.length, 4],
    )
  }
})

test('object identifiers and times are those of the standard', () => {
  assert.equal(hex(oid('1.2.840.10045.4.3.2')), '06082a8648ce3d040302')
  assert.equal(String(time(Date.UTC(2049, 11, 31, 23, 59, 59, 999))).slice(2), '491231235959Z')
  assert.equal(String(time(Date.UTC(2050, 0, 1))).slice(2), '20500101000000Z')
})

test('addresses are their bytes', () => {
  assert.equal(hex(addressBytes('192.168.1.255')), 'c0a801ff')
  assert.equal(hex(addressBytes('::1')), `${'0'.repeat(31)}1`)
  assert.equal(hex(addressBytes('2001:db8::a:0:b')), '20010db8000000000000000a0000000b')
  assert.equal(hex(addressBytes('::ffff:1.2.3.4')), '00000000000000000000ffff01020304')
})

test('a library for certificates reads the same in ours, of an authority that the library has made itself too', async () => {
  const clock = clockOf(() => Date.UTC(2048, 0, 1))
  const { X509Certificate: Certificate, X509CertificateGenerator, SubjectKeyIdentifierExtension } = x509()
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const made = await X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=Aloft local authority, O=Earlier', keys, signingAlgorithm: algorithm },
    ...{ notBefore: new Date(clock.now()), notAfter: new Date(clock.now() + 1e12) },
    extensions: [await SubjectKeyIdentifierExtension.create(keys.publicKey)],
  })
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const earlier = {
    certPem: `${made.toString('pem')}\n`,
    keyPem: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  }
  for (const authority of [earlier, await createAuthority(clock)]) {
    const root = new Certificate(authority.certPem)
    const { cert } = await createLocalIssuer({ ...authority, clock, forClients: true }).issue([
      'a.test',
      '::1',
    ])
    const leaf = new Certificate(cert)
    assert.equal(leaf.issuer, root.subject)
    assert.ok(await leaf.verify({ publicKey: root.publicKey, signatureOnly: true }))
    const identifierOf = (id: string, from: typeof leaf) =>
      Buffer.from(from.getExtension(id)?.value ?? new ArrayBuffer(0))
    // The identifier of the authority's key is in both, in a frame of its own in each.
    assert.deepEqual(identifierOf('2.5.29.35', leaf).subarray(4), identifierOf('2.5.29.14', root).subarray(2))
    assert.deepEqual(new X509Certificate(cert).keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
  }
})
