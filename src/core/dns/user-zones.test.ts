import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assembleZone, type UserZone } from './user-zones.ts'

const PARTS = {
  aliasHost: 'alias.aloft.test',
  authority: 'letsencrypt.org',
  nameservers: ['ns1.aloft.test', 'ns2.aloft.test'],
}
const domain = { id: 'a-domain', name: 'example.com', createdAt: 1_700_000_000_999 }
const assemble = (given: Partial<UserZone>) =>
  assembleZone({ domain, records: [], challenges: [], changes: 0, ...given }, PARTS)
const shown = (given: Partial<UserZone>) =>
  assemble(given).records.map(({ name, type, value, ttl }) => `${name} ${ttl} ${type} ${value}`)

const ALIAS = 'example.com 60 ALIAS alias.aloft.test'
const WILD = '*.example.com 60 CNAME alias.aloft.test'
const CAA = 'example.com 60 CAA 0 issue "letsencrypt.org"'

describe('zones of users', () => {
  it('answer with what the system adds when nothing was made by hand', () => {
    assert.deepEqual(shown({}), [ALIAS, WILD, CAA])
    assert.deepEqual(assemble({}).nameservers, PARTS.nameservers)
  })

  it('let any authority certify them where nobody knows what CAA records call the one that is chosen', () => {
    const zone = { domain, records: [], challenges: [], changes: 0 }
    const types = assembleZone(zone, { ...PARTS, authority: null }).records.map(({ type }) => type)
    assert.deepEqual(types, ['ALIAS', 'CNAME'])
  })

  it('leave out what a user has replaced', () => {
    const rows: [UserZone['records'][number], string[]][] = [
      [{ name: '', type: 'ALIAS', value: 'x.test' }, [WILD, CAA]],
      [{ name: '', type: 'A', value: '192.0.2.1' }, [WILD, CAA]],
      [{ name: '', type: 'AAAA', value: '2001:db8::1' }, [WILD, CAA]],
      [{ name: '', type: 'TXT', value: 'x' }, [ALIAS, WILD, CAA]],
      [{ name: '', type: 'CAA', value: '0 issue "ca.test"' }, [ALIAS, WILD]],
      [{ name: '*', type: 'CNAME', value: 'x.test' }, [ALIAS, CAA]],
      [{ name: '*', type: 'A', value: '192.0.2.1' }, [ALIAS, CAA]],
      [{ name: '*', type: 'TXT', value: 'x' }, [ALIAS, CAA]],
      [{ name: '*.a', type: 'CNAME', value: 'x.test' }, [ALIAS, WILD, CAA]],
    ]
    for (const [record, system] of rows)
      assert.deepEqual(shown({ records: [record] }).slice(1), system, JSON.stringify(record))
  })

  it('follow an alias of the whole domain, which must not be one for others', () => {
    const records = [{ name: '', type: 'CNAME', value: 'x.test' }] as const
    assert.deepEqual(shown({ records }), ['example.com 60 ALIAS x.test', WILD, CAA])
  })

  it('hold the proofs for certificates of their own names, in front of an alias', () => {
    const challenges = [
      { host: 'example.com', value: 'one' },
      { host: 'example.com', value: 'two' },
      { host: 'a.example.com', value: 'three' },
      { host: 'notexample.com', value: 'four' },
    ]
    const records = [
      { name: '_acme-challenge', type: 'TXT', value: 'by hand' },
      { name: '_acme-challenge.a', type: 'CNAME', value: 'elsewhere.test' },
    ] as const
    assert.deepEqual(shown({ challenges, records }), [
      '_acme-challenge.example.com 60 TXT by hand',
      ALIAS,
      WILD,
      CAA,
      '_acme-challenge.example.com 1 TXT one',
      '_acme-challenge.example.com 1 TXT two',
      '_acme-challenge.a.example.com 1 TXT three',
    ])
  })

  it('keep what a wildcard says about a host while there is a proof below it', () => {
    const kept = (host: string, records: UserZone['records'] = []) =>
      shown({ challenges: [{ host, value: 'x' }], records })
        .slice(records.length + 3, -1)
        .map((record) => record.split(' ')[0])
    assert.deepEqual(kept('example.com'), [])
    assert.deepEqual(kept('a.example.com'), ['a.example.com', '*.a.example.com'])
    assert.deepEqual(kept('a.b.example.com'), [
      'a.b.example.com',
      '*.a.b.example.com',
      'b.example.com',
      '*.b.example.com',
    ])
    assert.deepEqual(kept('a.example.com', [{ name: 'a', type: 'A', value: '192.0.2.1' }]), [])
    assert.deepEqual(kept('a.example.com', [{ name: 'x.a', type: 'A', value: '192.0.2.1' }]), [])
    assert.deepEqual(
      shown({
        challenges: [{ host: 'a.b.example.com', value: 'x' }],
        records: [{ name: '*.b', type: 'A', value: '192.0.2.1' }],
      }).slice(4, -1),
      ['a.b.example.com 60 A 192.0.2.1', '*.a.b.example.com 60 A 192.0.2.1'],
    )
  })

  it('have a serial of 32 bits that grows with every change and with a newer domain', () => {
    assert.equal(assemble({}).serial, 1_700_000_000)
    assert.equal(assemble({ changes: 3 }).serial, 1_700_000_003)
    assert.equal(assemble({ domain: { ...domain, createdAt: 1_700_000_009_000 } }).serial, 1_700_000_009)
    assert.equal(assemble({ changes: 2 ** 32 }).serial, 1_700_000_000)
  })
})
