import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portsOf, USUAL_PORTS } from './reachable-ports.ts'

test('the usual ports are possible ones, each once', () => {
  assert.equal(new Set(USUAL_PORTS).size, USUAL_PORTS.length)
  for (const port of USUAL_PORTS) assert.ok(port > 0 && port < 65_536, String(port))
  for (const port of [22, 80, 443, 5432, 6379, 27_017, 9418])
    assert.ok(USUAL_PORTS.includes(port), String(port))
})

test('finds the ports that variables tell of', () => {
  assert.deepEqual(
    portsOf({
      DATABASE_URL: 'postgres://user:12345@db.example.com:25432/db?sslmode=require',
      BROKERS: 'a.example.com:19092,b.example.com:19093',
      SIX: 'redis://[2001:db8::1]:16380',
      REDIS_PORT: '14873',
      COUNT: '4711',
      TOO_LARGE: 'http://a:99999/',
      PATH: '/usr/bin:/bin',
    }),
    [25_432, 19_092, 19_093, 16_380, 14_873],
  )
})

test('takes no more of them than a program could mean', () => {
  const many = Array.from({ length: 500 }, (_, i) => `host:${10_000 + i}`).join(',')
  assert.equal(portsOf({ MANY: many }).length, 32)
})
