import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLocalOrigin, namesThisServer } from './local-name.ts'

test('a server of this machine answers to its names and to addresses', () => {
  const isLocal = namesThisServer('localhost')
  for (const name of ['localhost', 'site.localhost', '127.0.0.1', '192.0.2.1', '::1'])
    assert.equal(isLocal(name), true, name)
  for (const name of ['', 'example.com', 'localhost.example.com', 'notlocalhost'])
    assert.equal(isLocal(name), false, name)
  assert.equal(namesThisServer('Desk')('desk'), true)
  assert.equal(namesThisServer('0.0.0.0')('example.com'), true)
})

test('a page of another site opens no socket; pages of this machine and programs do', () => {
  const isLocal = isLocalOrigin('localhost')
  for (const origin of [
    undefined,
    'http://localhost:3000',
    'https://localhost:5173',
    'http://app.localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'vscode-webview://0a1b2c',
    'capacitor://localhost',
  ])
    assert.equal(isLocal(origin, 'localhost:3000'), true, origin)
  for (const origin of [
    'null',
    '',
    'https://example.com',
    'http://example.com:3000',
    'http://localhost.example.com:3000',
    'http://notlocalhost:3000',
    'http://192.0.2.1:3000',
    'http://127.0.0.1.example.com',
    'http://localhost@example.com',
  ])
    assert.equal(isLocal(origin, 'localhost:3000'), false, origin)
})

test('pages of the server itself open sockets, whatever name or address leads to it', () => {
  assert.equal(isLocalOrigin('192.0.2.1')('http://192.0.2.1:3000', '192.0.2.1:3000'), true)
  assert.equal(isLocalOrigin('192.0.2.1')('http://192.0.2.2:3000', '192.0.2.1:3000'), false)
  assert.equal(isLocalOrigin('Desk')('http://desk:3000', 'Desk:3000'), true)
  assert.equal(isLocalOrigin('0.0.0.0')('https://tunnel.example.com', 'localhost:3000'), true)
})
