import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScriptedResolver } from '#test/support/dns/scripted-resolver.ts'
import { inspectHost } from './inspect-host.ts'
import type { ProjectDomain } from './project-domain.ts'

const pointing = {
  target: 'alias.sites.test',
  addresses: ['192.0.2.1', '2001:db8::1'],
  authority: 'letsencrypt.org',
  nameservers: ['ns1.sites.test', 'ns2.sites.test'],
}

const domain = (name: string, challenge: string | null = null): ProjectDomain => ({
  projectId: 'prj_1',
  ownerId: 'usr_1',
  name,
  apexName: 'shop.example',
  redirect: null,
  redirectStatusCode: null,
  gitBranch: null,
  customEnvironmentId: null,
  verified: challenge === null,
  challenge,
  createdAt: 1,
  updatedAt: 1,
})

test('a domain that leads nowhere is told the records to make, and is ready once they are there', async () => {
  const resolver = createScriptedResolver()
  const www = await inspectHost(resolver, domain('www.shop.example'), pointing)
  assert.equal(www.ready, false)
  assert.deepEqual(www.records, [{ type: 'CNAME', host: 'www.shop.example', value: 'alias.sites.test' }])
  assert.match(www.nextStep, /Create a CNAME record on www\.shop\.example/)
  const apex = await inspectHost(resolver, domain('shop.example'), pointing)
  assert.deepEqual(apex.records, [
    { type: 'A', host: 'shop.example', value: '192.0.2.1' },
    { type: 'AAAA', host: 'shop.example', value: '2001:db8::1' },
  ])
  const nameless = await inspectHost(resolver, domain('shop.example'), { ...pointing, addresses: [] })
  assert.deepEqual(nameless.records, [{ type: 'ALIAS', host: 'shop.example', value: 'alias.sites.test' }])

  resolver.set('cname', 'www.shop.example', ['alias.sites.test'])
  const ready = await inspectHost(resolver, domain('www.shop.example'), pointing)
  assert.deepEqual([ready.ready, ready.records], [true, []])
  assert.match(ready.nextStep, /nothing to do/)
})

test('a name that another account has asks for its text first', async () => {
  const resolver = createScriptedResolver()
  const waiting = domain('www.shop.example', 'proof')
  resolver.set('cname', 'www.shop.example', ['alias.sites.test'])
  const before = await inspectHost(resolver, waiting, pointing)
  assert.deepEqual(before.records, [{ type: 'TXT', host: '_platform.shop.example', value: 'proof' }])
  resolver.set('txt', '_platform.shop.example', ['other'])
  const wrong = await inspectHost(resolver, waiting, pointing)
  assert.deepEqual(
    wrong.checks.map(({ id, status }) => [id, status]),
    [
      ['txt', 'wrong'],
      ['address', 'ok'],
      ['caa', 'ok'],
    ],
  )
  resolver.set('txt', '_platform.shop.example', ['other', 'proof'])
  const there = await inspectHost(resolver, waiting, pointing)
  assert.deepEqual([there.ready, there.records], [false, []])
  assert.match(there.nextStep, /Verify the domain now/)
})

test('where our nameservers answer nothing is to be made, and silence is no fault of the domain', async () => {
  const resolver = createScriptedResolver()
  resolver.set('ns', 'shop.example', pointing.nameservers)
  resolver.set('a', 'shop.example', ['198.51.100.7'])
  resolver.set('caa', 'shop.example', ['0 issue "other.example"'])
  const ours = await inspectHost(resolver, domain('shop.example'), pointing)
  assert.deepEqual(ours.records, [{ type: 'CAA', host: 'shop.example', value: '0 issue "letsencrypt.org"' }])
  assert.match(ours.nextStep, /The Aloft nameservers answer/)

  resolver.fail('shop.example')
  const silent = await inspectHost(resolver, domain('shop.example'), pointing)
  assert.deepEqual([silent.ready, silent.records], [false, []])
  assert.match(silent.nextStep, /did not answer/)
})

test('authorities are forbidden by the nearest name above that says which may', async () => {
  const resolver = createScriptedResolver()
  resolver.set('caa', 'shop.example', ['0 issue "letsencrypt.org"'])
  const caaOf = async (name: string) => {
    const { checks } = await inspectHost(resolver, domain(name), pointing)
    return checks.find(({ id }) => id === 'caa')?.status
  }
  assert.equal(await caaOf('a.team.shop.example'), 'ok')
  resolver.set('caa', 'team.shop.example', ['0 issue "other.example"'])
  assert.equal(await caaOf('a.team.shop.example'), 'wrong')
  assert.equal(await caaOf('b.shop.example'), 'ok')
})
