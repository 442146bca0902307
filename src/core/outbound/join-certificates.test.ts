import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinCertificates } from './join-certificates.ts'

const pem = (kind: string, ...lines: readonly string[]) =>
  [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`].join('\n')

const [ONE, TWO] = [pem('CERTIFICATE', 'MIIBone+/', 'AA=='), pem('TRUSTED CERTIFICATE', 'MIIBtwo')]
const REVOKED = pem('X509 CRL', 'MIIBcrl')

test('certificates of several files are joined, each once, in the order they came in', () => {
  const joined = joinCertificates([`# Root One\n${ONE}\n\n${TWO}`, `${TWO}\n${ONE}\n`, REVOKED])
  assert.equal(joined, `${ONE}\n${TWO}\n${REVOKED}\n`)
})

test('the same certificate in other lines is the same', () => {
  const others = pem('CERTIFICATE', 'MIIB', 'one+/AA==').replaceAll('\n', '\r\n')
  assert.equal(joinCertificates([ONE, others]), `${ONE}\n`)
})

test('what is no certificate, such as a key beside it, is left out', () => {
  assert.equal(joinCertificates([`${pem('PRIVATE KEY', 'MIIBkey')}\n${ONE}`, 'nothing', '']), `${ONE}\n`)
})
