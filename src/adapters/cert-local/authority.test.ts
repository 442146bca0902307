import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { YEAR } from '#contract/time.ts'
import { clockOf } from '#test/support/clock.ts'
import { createAuthority } from './authority.ts'

const NOW = Date.UTC(2030, 0, 1)

test('an authority is a self-signed P-256 certificate that may sign certificates for ten years', async () => {
  const { certPem, keyPem } = await createAuthority(clockOf(() => NOW))
  const certificate = new X509Certificate(certPem)
  assert.match(certificate.subject, /^CN=Aloft local authority [0-9a-f]{8}$/)
  assert.equal(certificate.issuer, certificate.subject)
  assert.ok(certificate.ca)
  assert.ok(certificate.verify(certificate.publicKey))
  assert.ok(certificate.checkPrivateKey(createPrivateKey(keyPem)))
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  assert.equal(certificate.validFromDate.getTime(), NOW - 3_600_000)
  assert.equal(certificate.validToDate.getTime(), NOW + 10 * YEAR)
})

test('two authorities have different keys, names and serial numbers', async () => {
  const [a, b] = await Promise.all([createAuthority(), createAuthority()])
  const [x, y] = [new X509Certificate(a.certPem), new X509Certificate(b.certPem)]
  assert.notEqual(a.keyPem, b.keyPem)
  assert.notEqual(x.subject, y.subject)
  assert.notEqual(x.serialNumber, y.serialNumber)
})

test('making an authority leaves no trace in the global Reflect', async () => {
  await createAuthority()
  assert.equal('getMetadata' in Reflect, false)
  assert.equal('getOwnMetadata' in Reflect, false)
})
