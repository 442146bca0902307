import assert from 'node:assert/strict'
import { it } from 'node:test'
import { networkRules, resolversOf } from './network-rules.ts'

const facts = {
  table: 'aloft-1-0',
  interfaces: 'al-1-0-',
  resolvers: ['10.0.0.53'],
  opened: [],
  own: ['lo', 'eth0'],
}

it('takes resolvers that a sandbox can be let through to', () => {
  const text =
    '# nameserver 9.9.9.9\nnameserver 10.0.0.53\n nameserver\t192.0.2.1\nnameserver 127.0.0.53\nnameserver ::1\nnameserver 1.1.1.1; drop\nsearch a\n'
  assert.deepEqual(resolversOf(text), ['10.0.0.53', '192.0.2.1'])
})

it('lets names through before it refuses what is private, and refuses this machine last of all', () => {
  const rules = networkRules(facts)
  const forward = rules.slice(rules.indexOf('chain forward'))
  assert.ok(forward.indexOf('10.0.0.53') < forward.indexOf('10.0.0.0/8'))
  assert.ok(forward.indexOf('10.0.0.0/8') < forward.indexOf('iifname "al-1-0-*" accept'))
  for (const documentation of ['192.0.2.', '198.51.100.', '203.0.113.'])
    assert.ok(!rules.includes(documentation))
})

it('keeps other packets from being forwarded where they were not before', () => {
  assert.doesNotMatch(networkRules(facts), /oifname \{/)
  assert.match(
    networkRules({ ...facts, opened: ['eth0'] }),
    /iifname \{ "eth0" \} oifname \{ "lo", "eth0" \} drop/,
  )
})
