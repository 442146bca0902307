import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LimitGroup } from '#contract/limit/limits.ts'
import { networkOf } from '#core/access/network-of.ts'
import { createLimits } from '../limits.ts'
import { takeLoginMail } from './mail-allowance.ts'

test('addresses of one network are told from others', () => {
  for (const [ip, network] of [
    ['192.0.2.7', '192.0.2'],
    ['::ffff:192.0.2.200', '192.0.2'],
    ['2001:db8:1:2::5', '2001:db8:1'],
    ['2001:0DB8:0001::', '2001:db8:1'],
    ['2001:db8::1', '2001:db8:0'],
    ['::1', '0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0'],
  ] as const)
    assert.equal(networkOf(ip), network)
})

test('who asks for mails to somebody else’s address keeps only the own network from it', async () => {
  const taken = new Map<string, number>()
  const limits = createLimits(
    {
      take(key, { points }) {
        const count = (taken.get(key) ?? 0) + 1
        taken.set(key, count)
        return { allowed: count <= points, remaining: Math.max(0, points - count), resetAt: 1 }
      },
    },
    undefined,
  )
  const ask = (ip: string, email = 'Victim@aloft.test') => takeLoginMail(limits, { ip }, email)
  for (let i = 0; i < 10; i++) assert.equal(await ask(`198.51.100.${i}`), true)
  assert.equal(await ask('198.51.100.77', ' victim@aloft.test '), false)
  assert.equal(await ask('203.0.113.1'), true)
  assert.equal(await ask('2001:db8::1'), true)
  assert.equal(await ask('198.51.100.77', 'other@aloft.test'), true)
  const groups: LimitGroup[] = ['registration-email']
  assert.ok([...taken.keys()].every((key) => groups.some((group) => key.startsWith(group))))
})
