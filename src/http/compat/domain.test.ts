import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '#contract/api/domain.ts'
import { inspectProjectDomain } from '#contract/api/project-domain.ts'
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
  const also = {
    asked: { params: { name: 'shop.example' } },
    findProjectDomain: async () => undefined,
    call: async () => inspect({ ...intended, ...given }, { ...found, ...dns }),
  }
  return row?.answer?.(also as unknown as CompatContext) as Promise<{
    configuredBy: string | null
    aValues: string[]
    cnames: string[]
    nameservers: string[]
    misconfigured: boolean
  }>
}

test('a domain that leads here is configured, whoever answers for it and whatever is at www', async () => {
  const config = await configOf({}, {})
  assert.deepEqual(
    [config.configuredBy, config.misconfigured, config.aValues, config.cnames, config.nameservers],
    ['A', false, ['192.0.2.1'], [], ['ns.elsewhere.net']],
  )
  const addresses = ['192.0.2.1']
  const other = await configOf({ isApex: false }, { name: { cname: ['alias.sites.test'], addresses } })
  assert.deepEqual(
    [other.configuredBy, other.misconfigured, other.aValues, other.cnames],
    ['CNAME', false, ['192.0.2.1'], ['alias.sites.test']],
  )
})

test('a domain that leads elsewhere, or is not verified, is not configured', async () => {
  const away = await configOf({}, { name: { cname: [], addresses: ['203.0.113.9'] } })
  assert.deepEqual([away.configuredBy, away.misconfigured, away.aValues], [null, true, ['203.0.113.9']])
  const claimed = await configOf({ verified: false }, {})
  assert.deepEqual([claimed.configuredBy, claimed.misconfigured], [null, true])
  assert.equal((await configOf({}, { caa: ['0 issue "elsewhere.net"'] })).misconfigured, true)
})

test('a domain that is ours to answer for has to be delegated to us', async () => {
  const ours = { serviceType: 'provider.world' } as const
  assert.equal((await configOf(ours, {})).misconfigured, true)
  const delegated = await configOf(ours, { nameservers: intended.nameservers })
  assert.deepEqual([delegated.configuredBy, delegated.misconfigured], ['dns-01', false])
})

test('the domain of a project is looked at itself, unless the account has this very name', async () => {
  const asked: string[] = []
  const row = domainRows.find(({ is, on }) => is === api.inspectDomain && on.includes('config'))
  const ask = async (held: string | undefined) => {
    asked.length = 0
    await row?.answer?.({
      asked: { params: { name: 'www.shop.example' } },
      findProjectDomain: async () => ({ projectId: 'prj_1', name: 'www.shop.example' }),
      call: async ({ on }: { on: string }) => {
        asked.push(on)
        if (on !== api.getDomain.on) return inspect(intended, found)
        if (held === undefined) throw new Error('not here')
        return { domain: { name: held, serviceType: 'external' } }
      },
    } as unknown as CompatContext)
    return asked.at(-1)
  }
  assert.equal(await ask(undefined), inspectProjectDomain.on)
  assert.equal(await ask('shop.example'), inspectProjectDomain.on)
  assert.equal(await ask('www.shop.example'), api.inspectDomain.on)
})
