import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Question } from 'dns-packet'
import { guardedLookup, type LookUpAll } from '#core/outbound/guarded-lookup.ts'
import { isPublicAddress } from '#core/outbound/public-address.ts'
import { type Reply, startDnsServer, type TestDnsServer } from '#test/support/dns/dns-server.ts'
import { createLookUp } from './look-up.ts'

function answer({ name, type }: Question): Reply {
  switch (`${name.toLowerCase()} ${type}`) {
    case 'both.example A':
      return { answers: [{ name, type: 'A', ttl: 1, data: '192.0.2.1' }] }
    case 'both.example AAAA':
      return { answers: [{ name, type: 'AAAA', ttl: 1, data: '2001:db8::1' }] }
    case 'db.inner.test A':
    case 'db.two.inner.test A':
      return { answers: [{ name, type: 'A', ttl: 1, data: '192.0.2.7' }] }
    case 'half.example A':
      return { answers: [{ name, type: 'A', ttl: 1, data: '192.0.2.2' }] }
    case 'deaf.example A':
      return { answers: [{ name, type: 'A', ttl: 1, data: '192.0.2.3' }] }
    case 'deaf.example AAAA':
      return 'silence'
    case 'half.example AAAA':
    case 'broken.example A':
      return { rcode: 'SERVFAIL' }
    case 'mixed.example A':
      return {
        answers: ['127.0.0.1', '93.184.215.14'].map((data) => ({ name, type: 'A', ttl: 1, data }) as const),
      }
    case 'private.example A':
      return { answers: [{ name, type: 'A', ttl: 1, data: '10.0.0.1' }] }
  }
  if (name.endsWith('silent.example')) return 'silence'
  if (name.endsWith('.failing.test')) return { rcode: 'SERVFAIL' }
  return name.endsWith('.example') ? { answers: [] } : { rcode: 'NXDOMAIN' }
}

let dns: TestDnsServer
let folder = ''
before(async () => {
  dns = await startDnsServer(answer)
  folder = await mkdtemp(join(tmpdir(), 'aloft-look-up-'))
})
after(async () => {
  await dns.close()
  await rm(folder, { recursive: true, force: true })
})

/** With files of its own. */
async function open({ hosts = '', resolv = '', tryMs = 2000, wholeMs = 8000 } = {}) {
  const [hostsFile, resolvFile] = [join(folder, `hosts${count}`), join(folder, `resolv${count++}`)]
  await Promise.all([writeFile(hostsFile, hosts), writeFile(resolvFile, resolv)])
  let now = 0
  const parts = { servers: [dns.address], hostsFile, resolvFile, now: () => now, tryMs, wholeMs }
  return {
    lookUp: createLookUp(parts),
    hostsFile,
    pass(ms: number) {
      now += ms
    },
  }
}
let count = 0

const find = (lookUp: LookUpAll, name: string, family?: 4 | 6): Promise<string> =>
  new Promise((resolve) => {
    lookUp(name, { all: true, ...(family ? { family } : {}) }, (error, found: LookupAddress[]) =>
      resolve(error?.code ?? found.map((one) => `${one.address}/${one.family}`).join(' ')),
    )
  })

test('answers of DNS come with those of IPv4 first, and one family does where the other fails', async () => {
  const { lookUp } = await open()
  assert.equal(await find(lookUp, 'both.example'), '192.0.2.1/4 2001:db8::1/6')
  assert.equal(await find(lookUp, 'Both.Example.'), '192.0.2.1/4 2001:db8::1/6')
  assert.equal(await find(lookUp, 'both.example', 6), '2001:db8::1/6')
  assert.equal(await find(lookUp, 'half.example'), '192.0.2.2/4')
  assert.equal(await find(lookUp, '2001:db8::5'), '2001:db8::5/6')
})

test('one family does where there is no answer for the other', async () => {
  const { lookUp } = await open({ tryMs: 200, wholeMs: 500 })
  assert.equal(await find(lookUp, 'deaf.example'), '192.0.2.3/4')
})

test('no such name, none of this family and no answer are told apart', async () => {
  const { lookUp } = await open()
  assert.equal(await find(lookUp, 'empty.example'), 'ENOTFOUND')
  assert.equal(await find(lookUp, 'absent.test'), 'ENOTFOUND')
  assert.equal(await find(lookUp, 'half.example', 6), 'ENOTFOUND')
  assert.equal(await find(lookUp, `${'x'.repeat(300)}.example`), 'ENOTFOUND')
  assert.equal(await find(lookUp, 'broken.example'), 'EAI_AGAIN')
})

test('the file of hosts comes first, and is read again when it is another one', async () => {
  const hosts = '# none\n192.0.2.9\tboth.example Other # both.test\n::9 both.example\nnonsense x.example\n'
  const { lookUp, hostsFile, pass } = await open({ hosts })
  assert.equal(await find(lookUp, 'both.example'), '192.0.2.9/4 ::9/6')
  assert.equal(await find(lookUp, 'other'), '192.0.2.9/4')
  assert.equal(await find(lookUp, 'both.test'), 'ENOTFOUND')
  await writeFile(hostsFile, '192.0.2.10 other.example\n')
  pass(6000)
  assert.equal(await find(lookUp, 'other.example'), '192.0.2.10/4')
  assert.equal(await find(lookUp, 'both.example'), '192.0.2.1/4 2001:db8::1/6')
})

test('names that stand for this machine are asked of nobody', async () => {
  const { lookUp } = await open()
  dns.asked.length = 0
  for (const name of ['localhost', 'site.localhost'])
    assert.equal(await find(lookUp, name), '127.0.0.1/4 ::1/6')
  assert.deepEqual(dns.asked, [])
})

test('short names are looked for in the domains that the system has', async () => {
  const { lookUp } = await open({ resolv: 'nameserver 192.0.2.1\nsearch outer.test inner.test.\n' })
  assert.equal(await find(lookUp, 'db'), '192.0.2.7/4')
  assert.equal(await find(lookUp, 'db.'), 'ENOTFOUND')
  assert.equal(await find(lookUp, 'both.example'), '192.0.2.1/4 2001:db8::1/6')
  dns.asked.length = 0
  const many = await open({ resolv: 'search inner.test\noptions edns0 ndots:5\n' })
  assert.equal(await find(many.lookUp, 'db.two'), '192.0.2.7/4')
  assert.deepEqual([...new Set(dns.asked.map(({ name }) => name))], ['db.two.inner.test'])
})

test('a domain of the system whose servers fail keeps nobody from names that are elsewhere', async () => {
  const { lookUp } = await open({ resolv: 'search failing.test inner.test\noptions ndots:5\n' })
  assert.equal(await find(lookUp, 'db'), '192.0.2.7/4')
  assert.equal(await find(lookUp, 'both.example'), '192.0.2.1/4 2001:db8::1/6')
  assert.equal(await find(lookUp, 'absent.test'), 'EAI_AGAIN')
})

test('however many wait for servers that are silent, others are not kept waiting', async () => {
  const { lookUp } = await open({ tryMs: 500 })
  const silent = Array.from({ length: 100 }, (_, n) => find(lookUp, `${n}.silent.example`))
  const isAsked = (name: string) => dns.asked.some((question) => question.name === name)
  while (!isAsked('99.silent.example')) await new Promise(setImmediate)
  assert.equal(await find(lookUp, 'both.example'), '192.0.2.1/4 2001:db8::1/6')
  for (const one of await Promise.all(silent)) assert.equal(one, 'EAI_AGAIN')
})

test('only addresses that are allowed are connected to', async () => {
  const { lookUp } = await open({ hosts: '127.0.0.1 listed.example\n' })
  const guarded = guardedLookup(lookUp, isPublicAddress)
  const guardedFind = (name: string) =>
    new Promise((resolve) => {
      guarded(name, { all: true }, (error, found) => resolve(error?.code ?? found))
    })
  assert.deepEqual(await guardedFind('mixed.example'), [{ address: '93.184.215.14', family: 4 }])
  for (const name of ['private.example', 'listed.example', 'localhost', 'a.localhost'])
    assert.equal(await guardedFind(name), 'EPRIVATE', name)
})
