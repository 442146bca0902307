import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { connect } from 'node:tls'
import { IssueFailure } from '#core/ports/certificate-issuer.ts'
import { type AcmeSetting, FOREIGN, SERVED, startAcme } from '#test/support/tls/acme.ts'
import { withoutPebble } from '#test/support/tls/pebble.ts'

const never = new AbortController().signal

suite('certificates of an authority that speaks ACME', { skip: withoutPebble }, () => {
  let acme: AcmeSetting
  let issuer: ReturnType<AcmeSetting['issuer']>

  before(async () => {
    acme = await startAcme()
    issuer = acme.issuer()
  })
  after(() => acme.stop())

  const waysTo = (host: string) => [
    ...new Set(acme.looked.filter((each) => each.endsWith(` ${host}`)).map((each) => each.split(' ')[0])),
  ]

  async function issue(...names: readonly string[]): Promise<X509Certificate> {
    const { cert, key } = await issuer.issue(names, never)
    const leaf = new X509Certificate(cert)
    assert.ok(leaf.checkPrivateKey(createPrivateKey(key)))
    assert.equal(leaf.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
    assert.deepEqual(new Set(leaf.subjectAltName?.split(', ')), new Set(names.map((name) => `DNS:${name}`)))
    const chain = cert.split(/(?<=-----END CERTIFICATE-----\n)/).filter((each) => each.trim() !== '')
    const root = new X509Certificate(await acme.pebble.root())
    assert.ok(new X509Certificate(chain.at(-1) ?? '').checkIssued(root), 'the chain ends at the root')
    for (const name of names) assert.deepEqual(await left(name), [], 'no challenge is left')
    return leaf
  }

  async function left(name: string) {
    const host = name.replace('*.', '')
    const kinds = ['http-01', 'tls-alpn-01', 'dns-01'] as const
    return (await Promise.all(kinds.map((kind) => acme.stores.challenges.find(kind, host, 0)))).flat()
  }

  test('a name is shown over HTTP', async () => {
    await issue(`www.${FOREIGN}`)
    assert.deepEqual(waysTo(`www.${FOREIGN}`), ['http-01'])
  })

  test('where HTTP fails, it is shown in the handshake', async () => {
    await issue(`tls.${FOREIGN}`)
    assert.deepEqual(waysTo(`tls.${FOREIGN}`), ['http-01', 'tls-alpn-01'])
  })

  test('where that fails too, it is shown by DNS, if we answer for the name', async () => {
    await issue(`dns.${SERVED}`)
    assert.deepEqual(waysTo(`dns.${SERVED}`), ['http-01', 'tls-alpn-01', 'dns-01'])
  })

  test('a wildcard and the name above it are shown by DNS, with two values at one name', async () => {
    await issue(`*.${SERVED}`, SERVED)
    assert.deepEqual(waysTo(SERVED), ['dns-01'])
  })

  test('ten at once, with one account', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `host-${i}.${FOREIGN}`)
    const leaves = await Promise.all(names.map((name) => issue(name)))
    assert.equal(new Set(leaves.map(({ serialNumber }) => serialNumber)).size, 10)
  })

  test('when no way works, the failure has the words of the authority for each', async () => {
    await assert.rejects(issuer.issue([`none.${FOREIGN}`, `good.${FOREIGN}`], never), (error) => {
      assert.ok(error instanceof IssueFailure)
      assert.match(
        error.message,
        /^none\.foreign\.test \(http-01\): .*wrong.*; none\.foreign\.test \(tls-alpn-01\): ./,
      )
      assert.doesNotMatch(error.message, /good/)
      return true
    })
    assert.deepEqual([...(await left(`none.${FOREIGN}`)), ...(await left(`good.${FOREIGN}`))], [])
  })

  test('a wildcard of a zone that is not ours is refused with a hint', async () => {
    await assert.rejects(issuer.issue([`*.${FOREIGN}`], never), {
      name: 'IssueFailure',
      message: /^A certificate for \*\.foreign\.test needs the nameservers/,
    })
  })

  test('a name that the authority does not take is refused in its words', async () => {
    await assert.rejects(issuer.issue(['not_a_name..test'], never), { name: 'IssueFailure', message: /\w+/ })
  })

  test('the account is kept over a restart, sealed', async () => {
    const key = await acme.stores.settings.get('acme-account-key')
    assert.ok(key && !key.includes('PRIVATE KEY'))
    issuer = acme.issuer()
    await issue(`again.${FOREIGN}`)
    assert.equal(await acme.stores.settings.get('acme-account-key'), key)
  })

  test('the account is found again by an operator who gives no address', async () => {
    issuer = acme.issuer({ acmeEmail: undefined })
    await issue(`silent.${FOREIGN}`)
  })

  test('whoever asks for a challenge that nobody made does not get through the handshake', async () => {
    const socket = connect({
      port: acme.tlsPort,
      host: '127.0.0.1',
      servername: `www.${FOREIGN}`,
      ALPNProtocols: ['acme-tls/1'],
      rejectUnauthorized: false,
    })
    await assert.rejects(once(socket, 'secureConnect'))
  })
})
