import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../../config/config.ts'
import { exposedStores } from './exposed-stores.ts'

const faults = (ALOFT_DATABASE_URL: string | undefined, ALOFT_REDIS_URL?: string) =>
  exposedStores(readConfig({ ALOFT_DATABASE_URL, ALOFT_REDIS_URL })).map((text) => text.replace(/:.*$/, ''))

test('nothing is said of what nobody else can listen to', () => {
  for (const [database, redis] of [
    [undefined, undefined],
    ['postgres://localhost/aloft', 'redis://127.0.0.1:6379'],
    ['postgres://aloft@[::1]:5433/aloft', 'unix:///run/redis.sock'],
    ['postgres:///aloft?host=/var/run/postgresql', 'redis://localhost'],
    ['postgres://a@x/aloft?host=/one,/two', undefined],
    ['postgres://a:b@one.internal,10.0.0.5/x?sslmode=verify-full', undefined],
    ['postgres://a:b@db.internal/x?sslmode=verify-full', 'rediss://:secret@cache.internal:6380'],
    ['postgres://a:b@10.0.0.5/x?sslmode=require', 'rediss://user:secret@10.0.0.6'],
  ])
    assert.deepEqual(faults(database, redis), [], `${database} ${redis}`)
})

test('what a neighbour could read or pretend to be is said', () => {
  assert.deepEqual(faults('postgres://a:b@db.internal/x'), ['The connection to PostgreSQL does not use TLS'])
  assert.deepEqual(faults('postgres://a@10.0.0.5/x?sslmode=disable'), [
    'The connection to PostgreSQL does not use TLS',
    'PostgreSQL has no password',
  ])
  for (const mode of ['no-verify', 'require&uselibpqcompat=true'])
    assert.deepEqual(faults(`postgres://a:b@db.internal/x?sslmode=${mode}`), [
      'The certificate of PostgreSQL is not verified',
    ])
  assert.deepEqual(faults('postgres://a:b@localhost,10.0.0.5:5433/x'), [
    'The connection to PostgreSQL does not use TLS',
  ])
  assert.deepEqual(faults(undefined, 'redis://cache.internal'), [
    'The connection to Redis does not use TLS',
    'Redis has no password',
  ])
  assert.deepEqual(faults(undefined, 'redis://:x@cache.internal'), [
    'The connection to Redis does not use TLS',
  ])
})
