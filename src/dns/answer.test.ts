import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode } from 'dns-packet'
import { zoneOf } from '#test/support/dns/zones.ts'
import { type AliasAddresses, answerFrom } from './answer.ts'
import { RCODE, TYPE } from './codes.ts'
import { writeAnswer } from './message.ts'
import { isWithin } from './name.ts'
import { indexZone } from './zone-index.ts'

const index = indexZone(
  zoneOf('example.com', [
    ['', 'ALIAS', 'alias.example.net'],
    ['', 'MX', '10 mail.example.com'],
    ['', 'CAA', '0 issue "letsencrypt.org"'],
    ['*', 'CNAME', 'alias.example.net'],
    ['www', 'A', '192.0.2.1'],
    ['www', 'A', '192.0.2.1'],
    ['www', 'A', '192.0.2.2', 30],
    ['both', 'ALIAS', 'alias.example.net'],
    ['both', 'A', '192.0.2.3'],
    ['one', 'CNAME', 'two.example.com'],
    ['two', 'CNAME', 'www.example.com'],
    ['gone', 'CNAME', 'nothing.b.deep.example.com'],
    ['inner', 'CNAME', 'www.inside.example.com'],
    ['round', 'CNAME', 'about.example.com'],
    ['about', 'CNAME', 'round.example.com'],
    ['b.deep', 'TXT', 'x'.repeat(300)],
    ['_acme-challenge.shop', 'TXT', 'proof', 1],
    ['broken', 'A', 'not an address'],
    ['nobody', 'ALIAS', 'fails.example.net'],
    ['later', 'ALIAS', 'unknown.example.net'],
  ]),
)
const aliases: Record<string, AliasAddresses> = {
  'alias.example.net': { addresses: ['198.51.100.1', '2001:db8::1'], ttl: 20, expiresAt: 1000 },
  'fails.example.net': 'failed',
}
const ask = (name: string, type: number) =>
  answerFrom(
    index,
    { name: name === '' ? 'example.com' : `${name}.example.com`, type },
    {
      findAlias: (target) => aliases[target],
      isInZone: (target) => isWithin(target, 'example.com') && !isWithin(target, 'inside.example.com'),
    },
  )

/** As a client reads it. */
function heard(name: string, type: number) {
  const answer = ask(name, type)
  assert.ok('rcode' in answer, 'it has to wait')
  const full = name === '' ? 'example.com' : `${name}.example.com`
  const labels = full.split('.').flatMap((label) => [Buffer.of(label.length), Buffer.from(label)])
  const packet = Buffer.concat([Buffer.alloc(12), ...labels, Buffer.of(0, type >> 8, type & 255, 0, 1)])
  const { answers = [], authorities = [] } = decode(writeAnswer(packet, packet.length - 4, full, answer))
  const show = (records: readonly { name: string; type: string; data?: unknown; ttl?: number }[]) =>
    records.map((r) => `${r.name} ${r.ttl} ${r.type} ${typeof r.data === 'string' ? r.data : ''}`.trimEnd())
  return [answer.rcode, ...show(answers as never), ...show(authorities as never)]
}

const SOA = 'example.com 60 SOA'
const cases: readonly [what: string, name: string, type: number, expected: readonly (string | number)[]][] = [
  [
    'records of one type share the least time to live, and nothing is there twice',
    'www',
    TYPE.A,
    [0, 'www.example.com 30 A 192.0.2.1', 'www.example.com 30 A 192.0.2.2'],
  ],
  ['a name without the type is no error', 'www', TYPE.MX, [0, SOA]],
  ['an ALIAS is flattened', '', TYPE.A, [0, 'example.com 20 A 198.51.100.1']],
  ['an ALIAS is flattened to IPv6', '', TYPE.AAAA, [0, 'example.com 20 AAAA 2001:db8::1']],
  ['an ALIAS has no other types', '', TYPE.TXT, [0, SOA]],
  ['addresses win over an ALIAS', 'both', TYPE.A, [0, 'both.example.com 60 A 192.0.2.3']],
  ['also in the other family', 'both', TYPE.AAAA, [0, SOA]],
  ['an ALIAS that nobody can resolve fails', 'nobody', TYPE.A, [2]],
  [
    'a wildcard answers for names that are not there',
    'any.thing',
    TYPE.A,
    [0, 'any.thing.example.com 60 CNAME alias.example.net'],
  ],
  ['but not for those that others are under', 'deep', TYPE.A, [0, SOA]],
  ['nor below them', 'x.deep', TYPE.A, [3, SOA]],
  ['nor below a name that is there', 'x.www', TYPE.A, [3, SOA]],
  [
    'a proof for a certificate does not hide the wildcard',
    'shop',
    TYPE.A,
    [0, 'shop.example.com 60 CNAME alias.example.net'],
  ],
  [
    'a record that is not in the form of its type is not there',
    'broken',
    TYPE.A,
    [0, 'broken.example.com 60 CNAME alias.example.net'],
  ],
  [
    'a chain of names is followed within the zone',
    'one',
    TYPE.A,
    [
      0,
      'one.example.com 60 CNAME two.example.com',
      'two.example.com 60 CNAME www.example.com',
      'www.example.com 30 A 192.0.2.1',
      'www.example.com 30 A 192.0.2.2',
    ],
  ],
  ['a chain to nothing', 'gone', TYPE.A, [3, 'gone.example.com 60 CNAME nothing.b.deep.example.com', SOA]],
  [
    'but not into a zone inside of it',
    'inner',
    TYPE.A,
    [0, 'inner.example.com 60 CNAME www.inside.example.com'],
  ],
  ['the name of a name', 'one', TYPE.CNAME, [0, 'one.example.com 60 CNAME two.example.com']],
  [
    'a circle ends',
    'round',
    TYPE.A,
    [2, 'round.example.com 60 CNAME about.example.com', 'about.example.com 60 CNAME round.example.com'],
  ],
  ['everything is one line', '', TYPE.ANY, [0, 'example.com 3600 HINFO']],
  ['keys of DNSSEC are not there', '', 43, [0, SOA]],
  ['transfers are refused', '', 252, [5]],
  [
    'the servers',
    '',
    TYPE.NS,
    [0, 'example.com 3600 NS ns1.example.com', 'example.com 3600 NS ns2.example.com'],
  ],
]

for (const [what, name, type, expected] of cases)
  test(what, () => assert.deepEqual(heard(name, type), expected))

test('an ALIAS that is not known yet has to wait', () => {
  assert.deepEqual(ask('later', TYPE.A), { target: 'unknown.example.net', type: TYPE.A })
})

test('long texts are strings of at most 255 bytes', () => {
  const answer = ask('b.deep', TYPE.TXT)
  assert.ok('rcode' in answer && answer.rcode === RCODE.NOERROR)
  const bytes = answer.answers[0]?.parts[0]
  assert.ok(bytes instanceof Buffer)
  assert.deepEqual([bytes[0], bytes[256], bytes.length], [255, 45, 302])
})

test('a name that only has a proof below it is what a wildcard says, and else there without records', () => {
  const isKnown = (records: Parameters<typeof zoneOf>[1], name: string) => {
    const parts = { findAlias: () => undefined, isInZone: () => false }
    const answer = answerFrom(indexZone(zoneOf('example.com', records)), { name, type: TYPE.A }, parts)
    return 'rcode' in answer && [answer.rcode, answer.answers.length]
  }
  const proof = ['_acme-challenge.a.b', 'TXT', 'proof', 1] as const
  const other = ['b', 'A', '192.0.2.1'] as const
  assert.deepEqual(isKnown([proof, other], 'a.b.example.com'), [RCODE.NOERROR, 0])
  assert.deepEqual(isKnown([proof, other], 'c.b.example.com'), [RCODE.NXDOMAIN, 0])
  const wildcard = ['*', 'A', '192.0.2.2'] as const
  assert.deepEqual(isKnown([proof, wildcard], 'a.b.example.com'), [RCODE.NOERROR, 1])
  assert.deepEqual(isKnown([proof, wildcard, other], 'a.b.example.com'), [RCODE.NOERROR, 0])
  assert.deepEqual(isKnown([['_acme-challenge', 'TXT', 'proof']], 'example.com'), [RCODE.NOERROR, 0])
})
