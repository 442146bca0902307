import assert from 'node:assert/strict'
import { test } from 'node:test'
import { platformCertificate, readServerName } from './tls-names.ts'

test('a server name is read in lower case, without a last dot, and only if it is a host name', () => {
  assert.equal(readServerName('App.Example.COM.'), 'app.example.com')
  assert.equal(readServerName('localhost'), 'localhost')
  assert.equal(readServerName('xn--bcher-kva.example'), 'xn--bcher-kva.example')
  const wrong = [
    '',
    '.',
    'a..b',
    '-a.b',
    'a-.b',
    'a_b.c',
    '*.a.b',
    'a b',
    'ü.b',
    'a/../b',
    '127.0.0.1',
    '::1',
    'a\0b',
  ]
  for (const name of [...wrong, `${'a'.repeat(64)}.b`, 'a.'.repeat(130)])
    assert.equal(readServerName(name), undefined, name)
})

test('below a domain with a dot, one wildcard serves each level', () => {
  const platform = { key: '*.aloft.example', names: ['aloft.example', '*.aloft.example'] }
  assert.deepEqual(platformCertificate('aloft.example', 'aloft.example'), platform)
  assert.deepEqual(platformCertificate('a.aloft.example', 'aloft.example'), platform)
  assert.deepEqual(platformCertificate('b.aloft.example', 'aloft.example'), platform)
  const scope = { key: '*.team.aloft.example', names: ['*.team.aloft.example'] }
  assert.deepEqual(platformCertificate('a.team.aloft.example', 'aloft.example'), scope)
  assert.deepEqual(platformCertificate('b.team.aloft.example', 'aloft.example'), scope)
})

test('below a domain without a dot each host has its own', () => {
  for (const name of ['localhost', 'a.localhost', 'a.team.localhost'])
    assert.deepEqual(platformCertificate(name, 'localhost'), { key: name, names: [name] })
})

test('other hosts are not the platform’s', () => {
  for (const name of ['example', 'notaloft.example', 'aloft.example.org', 'a.b.c.aloft.example'])
    assert.equal(platformCertificate(name, 'aloft.example'), undefined, name)
  assert.equal(platformCertificate('a.b.c.localhost', 'localhost'), undefined)
})
