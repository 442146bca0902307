import assert from 'node:assert/strict'
import {
  createPrivateKey,
  generateKeyPairSync,
  type JsonWebKey,
  randomBytes,
  X509Certificate,
} from 'node:crypto'
import { before, test } from 'node:test'
import { AloftError } from '#contract/errors.ts'
import { DAY } from '#contract/time.ts'
import { anyKey, makeAuthority, makeLeaf, type Signer } from '#test/support/tls/pki.ts'
import { readUpload, type Upload } from './uploaded-certificate.ts'

let root: Signer
let middle: Signer
let leaf: Signer

before(async () => {
  root = await makeAuthority()
  middle = await makeAuthority(root)
  leaf = await makeLeaf(middle, ['www.example.com', 'Example.com', '*.example.com'])
})

const read = (given: Partial<Upload>, now = Date.now()) =>
  readUpload({ ca: middle.cert, cert: leaf.cert, key: leaf.key, ...given }, now)
const subjectsIn = (pem: string) =>
  pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g)?.map((each) => new X509Certificate(each).subject)

test('names and end come from the certificate, and the chain is put in order without its root', () => {
  const whole = [middle.subject, root.subject]
  for (const ca of [
    middle.cert,
    middle.cert + root.cert,
    root.cert + middle.cert,
    middle.cert + middle.cert,
  ]) {
    const { names, expiresAt, cert } = read({ ca })
    assert.deepEqual(names, ['*.example.com', 'example.com', 'www.example.com'])
    assert.equal(expiresAt, new X509Certificate(leaf.cert).validToDate.getTime())
    assert.deepEqual(subjectsIn(cert), [leaf.subject, whole[0]])
  }
  assert.deepEqual(subjectsIn(read({ cert: leaf.cert + middle.cert, ca: root.cert }).cert), [
    leaf.subject,
    middle.subject,
  ])
})

test('keys are taken in every usual form, RSA and ECDSA', async () => {
  const rsa = await makeLeaf(root, ['example.com'], { rsa: true })
  const asPkcs1 = createPrivateKey(rsa.key).export({ type: 'pkcs1', format: 'pem' }).toString()
  const asSec1 = createPrivateKey(leaf.key).export({ type: 'sec1', format: 'pem' }).toString()
  const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n'
  assert.equal(read({ key: parameters + asSec1 }).names.length, 3)
  for (const key of [rsa.key, asPkcs1]) {
    const { key: kept } = read({ ca: root.cert, cert: rsa.cert, key })
    assert.match(kept, /^-----BEGIN PRIVATE KEY-----/)
  }
})

test('what signed itself is taken with itself as its authority', async () => {
  const self = await makeLeaf(undefined, ['example.com'])
  assert.deepEqual(read({ ca: self.cert, cert: self.cert, key: self.key }).names, ['example.com'])
})

/** As long as that of a key, which takes seconds to find: its numbers are any. */
function rsaOfNoUse(bits: number): JsonWebKey {
  const number = (bytes: number) => {
    const all = randomBytes(bytes)
    all.writeUInt8(all.readUInt8(0) | 0x80, 0)
    all.writeUInt8(all.readUInt8(bytes - 1) | 1, bytes - 1)
    return all.toString('base64url')
  }
  const [whole, half] = [bits / 8, bits / 16]
  return {
    ...{ kty: 'RSA', n: number(whole), e: 'AQAB', d: number(whole), p: number(half), q: number(half) },
    ...{ dp: number(half), dq: number(half), qi: number(half) },
  }
}

test('what does not fit together, is over or not for servers is refused with the reason', async () => {
  const stranger = await makeAuthority()
  const old = await makeLeaf(middle, ['example.com'], { from: Date.now() - 9 * DAY, to: Date.now() - DAY })
  const early = await makeLeaf(middle, ['example.com'], { from: Date.now() + DAY })
  const forClients = await makeLeaf(middle, ['example.com'], { forClients: true })
  const nameless = await makeLeaf(middle, [])
  const local = await makeLeaf(middle, ['localhost'])
  const overMiddle = await makeAuthority(root, { from: Date.now() - 9 * DAY, to: Date.now() - DAY })
  const underOver = await makeLeaf(overMiddle, ['example.com'])
  const underLeaf = await makeLeaf(leaf, ['example.com'])
  const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  const encrypted = createPrivateKey(leaf.key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  })
  const pem = { type: 'pkcs8', format: 'pem' } as const
  const slow = createPrivateKey({ key: rsaOfNoUse(4224), format: 'jwk' }).export(pem)
  const slowCurve = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey.export(pem)
  const swapped = leaf.cert.replace(/(?<=-----\n.{200})./s, (c) => (c === 'A' ? 'B' : 'A'))
  const cases: readonly [Partial<Upload>, RegExp][] = [
    [{ cert: 'nothing' }, /`cert` contains no certificate/],
    [{ cert: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }, /not in PEM form/],
    [{ cert: '-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----' }, /PEM/],
    [{ cert: swapped }, /certificate/],
    [{ key: 'nothing' }, /`key` is not a private key/],
    [{ key: encrypted.toString() }, /encrypted/],
    [{ key: ed25519.toString() }, /neither RSA nor ECDSA/],
    [{ key: slow.toString() }, /2048 to 4096 bits/],
    [{ key: slowCurve.toString() }, /P-256 or P-384/],
    [{ key: anyKey() }, /does not belong/],
    [{ ca: root.cert }, /does not form a chain/],
    [{ ca: stranger.cert }, /does not form a chain/],
    [{ ca: middle.cert + stranger.cert }, /does not form a chain/],
    [{ ca: 'nothing' }, /`ca` does not contain/],
    [{ ca: middle.cert.repeat(11) }, /more than 10/],
    [{ cert: old.cert, key: old.key }, /expired/],
    [{ cert: early.cert, key: early.key }, /not valid before/],
    [{ cert: forClients.cert, key: forClients.key }, /not a server certificate/],
    [{ cert: nameless.cert, key: nameless.key }, /has no host names/],
    [{ cert: local.cert, key: local.key }, /not a host name/],
    [{ ca: overMiddle.cert, cert: underOver.cert, key: underOver.key }, /expired/],
    [{ ca: leaf.cert, cert: underLeaf.cert, key: underLeaf.key }, /does not form a chain/],
  ]
  for (const [given, reason] of cases)
    assert.throws(
      () => read(given),
      (error) => error instanceof AloftError && error.kind === 'invalid_cert' && reason.test(error.message),
      String(reason),
    )
})

test('a public key that cannot be read is said to be', async () => {
  const authority = await makeAuthority()
  const { cert, key } = await makeLeaf(authority, ['a.example'])
  const der = Buffer.from(cert.replace(/-----[^-]+-----|\s/g, ''), 'base64')
  // The form of a point on P-256 that no library knows.
  const at = der.indexOf(Buffer.from('2a8648ce3d03010703420004', 'hex')) + 11
  der[at] = 9
  const broken = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`
  for (const upload of [
    { cert: broken, key, ca: authority.cert },
    { cert, key, ca: broken },
  ])
    assert.throws(() => readUpload(upload, Date.now()), /public key that cannot be read/)
})
