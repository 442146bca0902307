import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Question } from 'dns-packet'
import { type Resolver, ResolverFailure } from '#core/ports/resolver.ts'
import { type Reply, startDnsServer, type TestDnsServer } from '#test/support/dns/dns-server.ts'
import { createDnsResolver } from './dns-resolver.ts'

const NAME = 'example.com'
const LONG = 'x'.repeat(700)
/** How often a server of a zone was asked, not as a resolver. */
let directly = 0

/** What the world says of a few names. */
function answer({ name, type }: Question, over: 'udp' | 'tcp', recursive: boolean): Reply {
  // As a server of the zone above says where a name is delegated to.
  if (!recursive) {
    directly++
    return {
      answers: [],
      authorities: ['ns1.aloft.test', 'NS2.aloft.test'].map((data) => ({ name, type: 'NS', ttl: 1, data })),
    }
  }
  switch (`${name.toLowerCase()} ${type}`) {
    case 'example.com TXT':
      return {
        answers: [
          { name, type: 'TXT', ttl: 1, data: ['in ', 'two parts'] },
          { name, type: 'TXT', ttl: 1, data: 'one' },
        ],
      }
    case 'long.example.com TXT':
      return over === 'udp'
        ? 'truncated'
        : {
            answers: [
              {
                name,
                type: 'TXT',
                ttl: 1,
                data: [LONG.slice(0, 255), LONG.slice(255, 510), LONG.slice(510)],
              },
            ],
          }
    case 'example.com NS':
      return {
        answers: [
          { name, type: 'NS', ttl: 1, data: 'NS1.Aloft.Test' },
          { name, type: 'NS', ttl: 1, data: 'ns2.aloft.test' },
        ],
      }
    case 'www.example.com NS':
      return {
        answers: [
          { name, type: 'CNAME', ttl: 1, data: 'elsewhere.net' },
          { name: 'elsewhere.net', type: 'NS', ttl: 1, data: 'ns1.aloft.test' },
        ],
      }
    case 'www.example.com CNAME':
      return { answers: [{ name, type: 'CNAME', ttl: 1, data: 'Elsewhere.net' }] }
    case 'www.example.com A':
      return {
        answers: [
          { name, type: 'CNAME', ttl: 300, data: 'elsewhere.net' },
          { name: 'elsewhere.net', type: 'A', ttl: 40, data: '192.0.2.1' },
          { name: 'elsewhere.net', type: 'A', ttl: 50, data: '192.0.2.2' },
        ],
      }
    case 'example.com AAAA':
      return { answers: [{ name, type: 'AAAA', ttl: 7, data: '2001:db8::1' }] }
    case 'example.com CAA':
      return {
        answers: [
          { name, type: 'CAA', ttl: 1, data: { flags: 0, tag: 'issue', value: 'letsencrypt.org' } },
          {
            name,
            type: 'CAA',
            ttl: 1,
            data: { flags: 128, tag: 'issuewild', value: ';', issuerCritical: true },
          },
        ],
      }
    case 'zone.test NS':
      return { answers: [{ name, type: 'NS', ttl: 1, data: 'ns.zone.test' }] }
    case 'ns.zone.test A':
      return { answers: [{ name, type: 'A', ttl: 1, data: '127.0.0.1' }] }
    default:
      if (name.endsWith('lame.zone.test')) return { rcode: 'SERVFAIL' }
      if (name.endsWith('servfail.test')) return { rcode: 'SERVFAIL' }
      if (name.endsWith('refused.test')) return { rcode: 'REFUSED' }
      if (name.endsWith('silent.test')) return 'silence'
      return name.endsWith(NAME) ? { answers: [] } : { rcode: 'NXDOMAIN' }
  }
}

describe('the resolver', () => {
  let server: TestDnsServer
  let resolver: Resolver
  before(async () => {
    server = await startDnsServer(answer)
    resolver = createDnsResolver({
      servers: [server.address],
      tryMs: 60,
      wholeMs: 2000,
      port: Number(server.address.split(':')[1]),
      allows: (address) => address === '127.0.0.1',
    })
  })
  after(() => server.close())

  it('joins the strings of a text', async () => {
    assert.deepEqual((await resolver.txt(NAME)).toSorted(), ['in two parts', 'one'])
  })

  it('asks again over TCP for a text that does not fit', async () => {
    assert.deepEqual(await resolver.txt(`long.${NAME}`), [LONG])
  })

  it('answers nameservers in lower case, and none for a name that stands for another', async () => {
    assert.deepEqual((await resolver.ns(NAME)).toSorted(), ['ns1.aloft.test', 'ns2.aloft.test'])
    assert.deepEqual(await resolver.ns(`www.${NAME}`), [])
    assert.deepEqual(await resolver.cname(`www.${NAME}`), ['elsewhere.net'])
  })

  it('asks the zone above where a name is delegated to when its own servers do not answer for it', async () => {
    assert.deepEqual((await resolver.ns('lame.zone.test')).toSorted(), ['ns1.aloft.test', 'ns2.aloft.test'])
    await assert.rejects(resolver.ns('a.lame.zone.test'), ResolverFailure, 'nobody above it answers')
  })

  it('asks no server at a private address, whatever the owner of the zone above says', async () => {
    const port = Number(server.address.split(':')[1])
    const guarded = createDnsResolver({ servers: [server.address], tryMs: 60, wholeMs: 2000, port })
    const before = directly
    await assert.rejects(guarded.ns('lame.zone.test'), ResolverFailure)
    assert.equal(directly, before)
  })

  it('answers addresses, with how long they may be kept', async () => {
    const { addresses, ttl } = await resolver.a(`www.${NAME}`)
    assert.deepEqual(addresses.toSorted(), ['192.0.2.1', '192.0.2.2'])
    assert.equal(ttl, 40)
    assert.deepEqual(await resolver.aaaa(NAME), { addresses: ['2001:db8::1'], ttl: 7 })
  })

  it('answers who may issue certificates', async () => {
    assert.deepEqual((await resolver.caa(NAME)).toSorted(), [
      '0 issue "letsencrypt.org"',
      '128 issuewild ";"',
    ])
  })

  it('answers nothing for names and records that do not exist', async () => {
    for (const name of [`none.${NAME}`, 'none.invalid', `${'x'.repeat(70)}.invalid`]) {
      assert.deepEqual(await resolver.txt(name), [])
      assert.deepEqual(await resolver.ns(name), [])
      assert.deepEqual(await resolver.caa(name), [])
      assert.deepEqual((await resolver.a(name)).addresses, [])
    }
  })

  it('fails when the server fails, refuses or says nothing', async () => {
    for (const name of ['servfail.test', 'refused.test', 'silent.test'])
      for (const ask of [resolver.txt, resolver.ns, resolver.a])
        await assert.rejects(
          ask(name),
          (error) => error instanceof ResolverFailure && error.message.includes(name),
        )
  })

  it('waits no longer than it was told, however long the attempts are', async () => {
    const patient = createDnsResolver({ servers: [server.address], tryMs: 400, wholeMs: 20 })
    await assert.rejects(patient.txt('silent.test'), ResolverFailure)
  })

  it('sees what changed since it asked', async () => {
    const before = server.asked.length
    await resolver.txt(NAME)
    assert.ok(server.asked.length > before, 'nothing is answered from memory')
  })
})
