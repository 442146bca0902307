import assert from 'node:assert/strict'
import { it } from 'node:test'
import { networkRules, resolversOf } from './network-rules.ts'

const facts = {
  table: 'aloft-1-0',
  interfaces: 'al-1-0-',
  privateTargets: [],
  ownTargets: [],
  opened: [],
  own: ['lo', 'eth0'],
}

it('takes resolvers that a sandbox can be let through to', () => {
  const text =
    '# nameserver 9.9.9.9\nnameserver 10.0.0.53\n nameserver\t192.0.2.1\nnameserver 127.0.0.53\nnameserver ::1\nnameserver 1.1.1.1; drop\nsearch a\n'
  assert.deepEqual(resolversOf(text), ['10.0.0.53', '192.0.2.1'])
})

it('refuses what is private before it lets anything out, but for what the operator allows', () => {
  const forward = (rules: string) =>
    rules.slice(rules.indexOf('chain forward'), rules.indexOf('chain postrouting'))
  const usual = networkRules(facts)
  assert.ok(forward(usual).indexOf('10.0.0.0/8') < forward(usual).indexOf('iifname "al-1-0-*" accept'))
  assert.doesNotMatch(usual, /daddr \S+ accept/)
  for (const documentation of ['192.0.2.', '198.51.100.', '203.0.113.'])
    assert.ok(!usual.includes(documentation))
  const rules = networkRules({ ...facts, privateTargets: ['10.1.0.0/16'], ownTargets: ['10.1.0.9'] })
  const allowed = forward(rules).indexOf('ip daddr 10.1.0.0/16 accept')
  assert.ok(allowed > forward(rules).indexOf('ip daddr 198.18.0.0/15'), 'other sandboxes stay out of reach')
  assert.ok(allowed < forward(rules).indexOf('10.0.0.0/8'))
  const input = rules.slice(0, rules.indexOf('chain forward'))
  assert.match(input, /ip daddr 10\.1\.0\.9 accept\n\s+iifname "al-1-0-\*" {2}meta l4proto tcp reject/)
  assert.doesNotMatch(input, /10\.1\.0\.0/)
})

it('keeps other packets from being forwarded where they were not before', () => {
  assert.doesNotMatch(networkRules(facts), /oifname \{/)
  assert.match(
    networkRules({ ...facts, opened: ['eth0'] }),
    /iifname \{ "eth0" \} oifname \{ "lo", "eth0" \} drop/,
  )
})
