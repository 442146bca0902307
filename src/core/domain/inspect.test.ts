import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScriptedResolver } from '#test/support/dns/scripted-resolver.ts'
import { findRecords } from './find-records.ts'
import { type Check, type DnsState, type Intended, inspect } from './inspect.ts'

const intended: Intended = {
  name: 'example.com',
  isApex: true,
  serviceType: 'external',
  verified: true,
  token: 'the-token',
  nameservers: ['ns1.aloft.test', 'ns2.aloft.test'],
  target: 'alias.aloft.test',
  addresses: ['192.0.2.1', '2001:db8::1'],
  authority: 'letsencrypt.org',
}
const fine: DnsState = {
  nameservers: ['ns1.elsewhere.net', 'ns2.elsewhere.net'],
  texts: ['the-token'],
  name: { cname: [], addresses: ['192.0.2.1'] },
  www: { cname: ['alias.aloft.test'], addresses: ['192.0.2.1'] },
  caa: [],
}
const nothing: DnsState = {
  nameservers: [],
  texts: [],
  name: { cname: [], addresses: [] },
  www: { cname: [], addresses: [] },
  caa: [],
}

const look = (found: Partial<DnsState>, given: Partial<Intended> = {}) => {
  const { checks, nextStep } = inspect({ ...intended, ...given }, { ...fine, ...found })
  const of = (id: Check['id']) => checks.find((check) => check.id === id) as Check
  return { of, nextStep, status: (id: Check['id']) => of(id).status }
}

test('a domain that points here needs nothing', () => {
  const { status, nextStep } = look({})
  assert.deepEqual(
    [status('nameservers'), status('txt'), status('address'), status('www'), status('caa')],
    ['missing', 'ok', 'ok', 'ok', 'ok'],
  )
  assert.match(nextStep, /nothing to do/)
})

test('a domain that is not verified is told of its token, or that the proof is there', () => {
  const empty = look(nothing, { verified: false })
  assert.equal(empty.status('txt'), 'missing')
  assert.equal(empty.nextStep, 'Create a TXT record on _platform.example.com with the value the-token.')
  const other = look({ ...nothing, texts: ['another'] }, { verified: false })
  assert.equal(other.status('txt'), 'wrong')
  for (const found of [{ texts: ['x', 'the-token'] }, { nameservers: intended.nameservers }])
    assert.match(look({ ...nothing, ...found }, { verified: false }).nextStep, /Verify the domain now/)
  assert.equal(look({ texts: [] }).status('txt'), 'ok', 'a verified one needs it no more')
})

test('nameservers are ok when two are ours, wrong when only one is', () => {
  assert.equal(
    look({ nameservers: [...intended.nameservers, 'ns3.elsewhere.net'] }).status('nameservers'),
    'ok',
  )
  const half = look({ nameservers: ['ns1.aloft.test'] }).of('nameservers')
  assert.equal(half.status, 'wrong')
  assert.match(half.advice, /ns1\.aloft\.test and ns2\.aloft\.test/)
})

test('a domain whose records are edited here has to be delegated here before anything else', () => {
  const ours = { serviceType: 'provider.world' } as const
  for (const nameservers of [[], ['ns1.elsewhere.net'], ['ns1.aloft.test', 'ns1.elsewhere.net']])
    assert.match(
      look({ ...nothing, nameservers }, ours).nextStep,
      /set the nameservers of example\.com to ns1\.aloft\.test and ns2\.aloft\.test at its registrar/,
    )
  assert.doesNotMatch(look(nothing, ours).of('nameservers').advice, /leave them as/)
  assert.match(look({ nameservers: intended.nameservers }, ours).nextStep, /nothing to do/)
})

test('a domain that was bought here waits for its nameservers, and nobody is sent to a registrar', () => {
  const bought = { serviceType: 'provider.world', isRegisteredHere: true } as const
  const { nextStep, status } = look(nothing, bought)
  assert.equal(status('nameservers'), 'missing')
  assert.match(nextStep, /set for you/)
  assert.doesNotMatch(nextStep, /at its registrar/)
})

test('hosts that lead nowhere or elsewhere are told which record to create', () => {
  const missing = look({ name: nothing.name })
  assert.equal(missing.status('address'), 'missing')
  assert.match(
    missing.nextStep,
    /Create on example\.com: A 192\.0\.2\.1, AAAA 2001:db8::1; or an ALIAS record to alias\.aloft\.test/,
  )
  const mixed = look({ name: { cname: [], addresses: ['192.0.2.1', '198.51.100.7'] } }).of('address')
  assert.equal(mixed.status, 'wrong')
  assert.match(mixed.advice, /points elsewhere \(198\.51\.100\.7\)/)
  const www = look({ www: { cname: ['elsewhere.net'], addresses: ['198.51.100.7'] } })
  assert.equal(www.status('www'), 'wrong')
  assert.deepEqual(www.of('www').found, ['CNAME elsewhere.net', 'A 198.51.100.7'])
  assert.match(www.nextStep, /Create a CNAME record on www\.example\.com with the value alias\.aloft\.test/)
  const sub = look({ name: nothing.name }, { isApex: false }).of('address')
  assert.deepEqual(sub.expected, ['CNAME alias.aloft.test'])
  const ours = look({ name: nothing.name }, { serviceType: 'provider.world' }).of('address')
  assert.match(ours.advice, /The Aloft nameservers answer/)
})

test('nothing is to be created at the www of a subdomain', () => {
  const found = { www: nothing.www, name: { cname: ['alias.aloft.test'], addresses: [] } }
  const sub = look(found, { name: 'shop.example.com', isApex: false })
  assert.equal(sub.status('www'), 'missing')
  assert.match(sub.nextStep, /nothing to do/)
  assert.match(look(found).nextStep, /www\.example\.com/)
})

test('the text of a subdomain may be at the name that was registered', async () => {
  const resolver = createScriptedResolver()
  const domain = { name: 'shop.example.com', token: 'the-token' }
  const textStatus = async () =>
    look(await findRecords(resolver, domain), { ...domain, isApex: false, verified: false }).status('txt')
  resolver.set('txt', '_platform.example.com', ['another'])
  assert.equal(await textStatus(), 'missing')
  resolver.set('txt', '_platform.example.com', ['another', 'the-token'])
  assert.equal(await textStatus(), 'ok')
})

test('CAA records are read for whether they let our authority in', () => {
  for (const [records, status] of [
    [['0 issue "letsencrypt.org"'], 'ok'],
    [['0 issue "other.org"', '128 issue "LetsEncrypt.org; validationmethods=dns-01"'], 'ok'],
    [['0 iodef "mailto:a@example.com"', '0 issuewild ";"'], 'ok'],
    [['0 issue "other.org"'], 'wrong'],
    [['0 issue ";"'], 'wrong'],
  ] as const)
    assert.equal(look({ caa: records }).status('caa'), status, records.join())
  assert.match(look({ caa: ['0 issue ";"'] }).nextStep, /0 issue "letsencrypt\.org"/)
  assert.equal(look({ caa: ['0 issue ";"'] }, { authority: undefined }).status('caa'), 'ok')
  assert.equal(look({ caa: ['0 issue ";"'] }, { authority: null }).status('caa'), 'unknown')
})

test('what nobody answered is unknown, and nothing is advised because of it', () => {
  const silent = { cname: undefined, addresses: undefined }
  const { status, nextStep } = look({ nameservers: undefined, name: silent, www: silent, caa: undefined })
  assert.deepEqual(
    [status('nameservers'), status('address'), status('www'), status('caa')],
    ['unknown', 'unknown', 'unknown', 'unknown'],
  )
  assert.match(nextStep, /did not answer/)
  assert.equal(look({ texts: undefined }, { verified: false }).status('txt'), 'unknown')
})
