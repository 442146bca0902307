import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readNext, withNext } from './next.ts'

const HERE = 'https://aloft.test'

test('a path of our own is gone on to as it is', () => {
  for (const path of ['/', '/a', '/a/?b=c&d=%2F#e', '/sso?url=http%3A%2F%2Fa.localhost%3A3000%2F%2Fx', '/@x'])
    assert.equal(readNext(path), path)
  assert.equal(readNext('/a/../b'), '/b')
})

test('whatever leads elsewhere is not', () => {
  for (const text of [
    undefined,
    '',
    'a',
    'https://evil.test',
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.test',
    '///evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/\t/evil.test',
    '\t//evil.test',
    '/\n/evil.test',
    ' //evil.test',
    '/.//evil.test',
    '/..//evil.test',
    '/a/..//evil.test',
    '/%2e//evil.test',
    '/./\\evil.test',
    '//user@evil.test:80/x',
    '//[',
  ])
    assert.equal(readNext(text), '/', JSON.stringify(text))
})

test('no text at all leads elsewhere, nor breaks a header', () => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '%2e',
    '\t',
    '\n',
    '\r',
    '@',
    ':',
    'evil.test',
    '?',
    '#',
    ' ',
  )
  const text = fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 8 })
  fc.assert(
    fc.property(text, (pieces) => {
      const next = readNext(pieces.join(''))
      assert.match(next, /^\/(?!\/)[\x21-\x7e]*$/)
      assert.equal(new URL(next, HERE).origin, HERE)
      assert.equal(readNext(new URL(HERE + withNext('/login', next)).searchParams.get('next') ?? '/'), next)
    }),
    { numRuns: 200 },
  )
})
