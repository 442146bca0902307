import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '#contract/api/domain.ts'
import { type DnsState, type Intended, inspect } from '#core/domain/inspect.ts'
import { domainRows } from './domain.ts'
import type { CompatContext } from './row.ts'

const intended: Intended = {
  name: 'shop.example',
  isApex: true,
  serviceType: 'external',
  verified: true,
  token: 'token',
  nameservers: ['ns1.sites.test', 'ns2.sites.test'],
  target: 'alias.sites.test',
  addresses: ['192.0.2.1', '2001:db8::1'],
  authority: 'letsencrypt.org',
}

const nothing = { cname: [], addresses: [] }
const found: DnsState = {
  nameservers: ['ns.elsewhere.net'],
  texts: [],
  name: { cname: [], addresses: ['192.0.2.1', '2001:db8::1'] },
  www: nothing,
  caa: [],
}

const configOf = (given: Partial<Intended>, dns: Partial<DnsState>) => {
  const row = domainRows.find(({ is, on }) => is === api.inspectDomain && on.includes('config'))
  return row?.show?.(inspect({ ...intended, ...given }, { ...found, ...dns }), {} as CompatContext) as {
    configuredBy: string | null
    aValues: string[]
    cnames: string[]
    nameservers: string[]
    misconfigured: boolean
  }
}

test('a domain that leads here is configured, whoever answers for it and whatever is at www', () => {
  const config = configOf({}, {})
  assert.deepEqual(
    [config.configuredBy, config.misconfigured, config.aValues, config.cnames, config.nameservers],
    ['A', false, ['192.0.2.1'], [], ['ns.elsewhere.net']],
  )
  const addresses = ['192.0.2.1']
  const other = configOf({ isApex: false }, { name: { cname: ['alias.sites.test'], addresses } })
  assert.deepEqual(
    [other.configuredBy, other.misconfigured, other.aValues, other.cnames],
    ['CNAME', false, ['192.0.2.1'], ['alias.sites.test']],
  )
})

test('a domain that leads elsewhere, or is not verified, is not configured', () => {
  const away = configOf({}, { name: { cname: [], addresses: ['203.0.113.9'] } })
  assert.deepEqual([away.configuredBy, away.misconfigured, away.aValues], [null, true, ['203.0.113.9']])
  const claimed = configOf({ verified: false }, {})
  assert.deepEqual([claimed.configuredBy, claimed.misconfigured], [null, true])
  assert.equal(configOf({}, { caa: ['0 issue "elsewhere.net"'] }).misconfigured, true)
})

test('a domain that is ours to answer for has to be delegated to us', () => {
  const ours = { serviceType: 'provider.world' } as const
  assert.equal(configOf(ours, {}).misconfigured, true)
  const delegated = configOf(ours, { nameservers: intended.nameservers })
  assert.deepEqual([delegated.configuredBy, delegated.misconfigured], ['dns-01', false])
})
