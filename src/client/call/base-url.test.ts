import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBaseUrl } from './base-url.ts'

test('one installation has one spelling', () => {
  for (const text of ['http://LOCALHOST:3000/', ' http://localhost:3000', 'http://localhost:3000//'])
    assert.equal(readBaseUrl(text), 'http://localhost:3000')
  assert.equal(readBaseUrl('https://aloft.example.com:443/'), 'https://aloft.example.com')
  assert.equal(readBaseUrl('https://example.com/aloft/'), 'https://example.com/aloft')
})

test('what is not an address of an installation is refused with what is', () => {
  for (const text of ['', 'localhost:3000', 'ftp://example.com', 'example.com', 'file:///etc/passwd'])
    assert.throws(() => readBaseUrl(text), /should start with http:\/\//)
  assert.throws(() => readBaseUrl('http://me:secret@example.com'), /user name or password/)
  assert.throws(() => readBaseUrl('http://example.com/?a=1'), /should end with/)
})
