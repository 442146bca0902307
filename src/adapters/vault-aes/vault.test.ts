import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createVault } from './vault.ts'
import { VaultError, type VaultFault } from './vault-error.ts'

const vault = createVault(randomBytes(32))
const fault = (expected: VaultFault) => (error: unknown) =>
  error instanceof VaultError && error.fault === expected

test('opens what it sealed, whatever the text and the purpose', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (plain, purpose) => {
      assert.equal(vault.open(vault.seal(plain, purpose), purpose), plain)
    }),
  )
})

test('writes a version and base64url, without a trace of the text', () => {
  const sealed = vault.seal('postgres://user:hunter2@db', 'secret')
  assert.match(sealed, /^v1\.[A-Za-z0-9_-]+$/)
  assert.doesNotMatch(Buffer.from(sealed.slice(3), 'base64url').toString('latin1'), /hunter2/)
})

test('seals the same text differently each time', () => {
  assert.equal(new Set(Array.from({ length: 100 }, () => vault.seal('same', 'secret'))).size, 100)
})

test('a text sealed for one purpose does not open for another', () => {
  const sealed = vault.seal('text', 'mail')
  for (const purpose of ['secret', 'mail ', 'Mail', '', 'mail\0'])
    assert.throws(() => vault.open(sealed, purpose), fault('refused'))
})

test('a text sealed under another master key does not open', () => {
  assert.throws(() => createVault(randomBytes(32)).open(vault.seal('text', 'mail'), 'mail'), fault('refused'))
})

test('a text with any single character changed does not open', () => {
  const sealed = vault.seal('a text of some length', 'mail')
  for (let i = 0; i < sealed.length; i++)
    for (const other of ['A', 'B', '9', '.', '-', ' ', '=']) {
      if (sealed[i] === other) continue
      const changed = sealed.slice(0, i) + other + sealed.slice(i + 1)
      assert.throws(() => vault.open(changed, 'mail'), VaultError, changed)
    }
})

test('a text that was cut or extended does not open', () => {
  const sealed = vault.seal('text', 'mail')
  for (let length = 0; length < sealed.length; length++)
    assert.throws(() => vault.open(sealed.slice(0, length), 'mail'), VaultError)
  for (const more of ['A', 'AAAA', '=', '\n'])
    assert.throws(() => vault.open(sealed + more, 'mail'), VaultError)
})

test('tells a foreign text and a newer form from a changed one', () => {
  for (const text of ['', 'text', 'v1', 'v1.', 'v1.AAAA', '1.AAAA', '.v1', 'v01.AAAA'])
    assert.throws(() => vault.open(text, 'mail'), fault('malformed'), text)
  assert.throws(
    () => vault.open(vault.seal('text', 'mail').replace('v1', 'v2'), 'mail'),
    fault('unknown_version'),
  )
})

test('keeps opening while more purposes are in use than keys are kept', () => {
  const sealed = Array.from({ length: 1000 }, (_, i) => vault.seal(`text ${i}`, `purpose ${i}`))
  sealed.forEach((text, i) => {
    assert.equal(vault.open(text, `purpose ${i}`), `text ${i}`)
  })
})

test('is not changed when its master key is wiped by the caller', () => {
  const key = randomBytes(32)
  const other = createVault(Buffer.from(key))
  const own = createVault(key)
  key.fill(0)
  assert.equal(other.open(own.seal('text', 'mail'), 'mail'), 'text')
})

test('refuses a master key of another length', () => {
  for (const length of [0, 16, 31, 33]) assert.throws(() => createVault(randomBytes(length)), RangeError)
})
