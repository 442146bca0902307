import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresServers } from './postgres-servers.ts'

test('one server is named as it was', () => {
  for (const url of [
    'postgres://localhost/aloft',
    'postgresql://me:p%40ss@[::1]:5433/aloft?sslmode=verify-full',
    'postgres:///aloft?host=/var/run/postgresql',
    'postgres://me:a,b@db/aloft?target_session_attrs=read-write',
    'POSTGRES://db',
  ])
    assert.deepEqual(postgresServers(url), [url])
})

test('several are named with what all of them have in common', () => {
  assert.deepEqual(postgresServers('postgres://me:a@b@one:5433,two,[::1]:7/aloft?sslmode=verify-full'), [
    'postgres://me:a@b@one:5433/aloft?sslmode=verify-full',
    'postgres://me:a@b@two/aloft?sslmode=verify-full',
    'postgres://me:a@b@[::1]:7/aloft?sslmode=verify-full',
  ])
  assert.deepEqual(postgresServers('postgres://one,two?target_session_attrs=primary'), [
    'postgres://one?target_session_attrs=primary',
    'postgres://two?target_session_attrs=primary',
  ])
})

test('they may be parameters, with a port for each or one for all', () => {
  const named = (parameters: string) =>
    postgresServers(`postgres://me@x/aloft?${parameters}`)?.map((url) => {
      const { pathname, searchParams } = new URL(url)
      return [pathname, searchParams.get('host'), searchParams.get('port')]
    })
  assert.deepEqual(named('host=/a,/b'), [
    ['/aloft', '/a', null],
    ['/aloft', '/b', null],
  ])
  assert.deepEqual(named('host=a,b&port=1,2'), [
    ['/aloft', 'a', '1'],
    ['/aloft', 'b', '2'],
  ])
  assert.deepEqual(named('host=a,b&port=1'), [
    ['/aloft', 'a', '1'],
    ['/aloft', 'b', '1'],
  ])
})

test('what names no servers, or those that take no writes, is refused', () => {
  for (const url of [
    'mysql://one,two/x',
    'postgres://one,/x',
    'postgres://one:99999,two/x',
    'postgres://one,two:x/y',
    'postgres://one,two/x?host=three,four',
    'postgres://x/y?host=a,b&port=1,2,3',
    'postgres://x/y?host=a,',
    'postgres://x/y?port=1,2',
    'postgres://one,two/x?target_session_attrs=standby',
    'postgres://one,two/x?target_session_attrs=prefer-standby',
  ])
    assert.equal(postgresServers(url), undefined, url)
})
