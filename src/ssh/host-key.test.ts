import assert from 'node:assert/strict'
import { test } from 'node:test'
import ssh2 from 'ssh2'
import { newHostKey } from './host-key.ts'

test('every key can be read', () => {
  for (let i = 0; i < 2000; i++) {
    const { privateKey, publicKey } = newHostKey()
    assert.ok(!(ssh2.utils.parseKey(privateKey) instanceof Error))
    assert.ok(!(ssh2.utils.parseKey(publicKey) instanceof Error))
  }
})
