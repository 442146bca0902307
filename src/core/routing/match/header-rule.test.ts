import assert from 'node:assert/strict'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { test } from 'node:test'
import fc from 'fast-check'
import { expandHeader, readHeaderRule } from './header-rule.ts'

/** Any UTF-16 text, halves of surrogate pairs included, with what matters in paths and headers more often. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'/\\?#&=%.:@ \r\n\t\0"', '%2F', '%0D', 'é', 'a'),
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    ),
  )
  .map((parts) => parts.join(''))

function expand(name: string, value: string, ...groups: string[]): string | undefined {
  const read = readHeaderRule(name, value, new Map([['x', 1]]))
  assert.ok(read.ok, read.ok ? '' : read.reason)
  return expandHeader(read.header, groups)
}

test('a value takes groups percent-encoded', () => {
  assert.equal(expand('X-Path', '<$1> $x', 'a b/é'), '<a%20b/%C3%A9> a%20b/%C3%A9')
  assert.equal(expand('X-Path', '$1', 'a\r\nSet-Cookie: b=c'), 'a%0D%0ASet-Cookie:%20b=c')
})

test('a value without groups drops the names that no group has', () => {
  assert.equal(expand('X-Path', 'a$nobody-b'), 'a-b')
})

test('a location never gets another host from a group', () => {
  assert.equal(expand('Location', '/$1', '/evil.org'), '/evil.org')
  assert.equal(expand('Location', '/$1', '\\evil.org'), '/%5Cevil.org')
  assert.equal(expand('Location', 'https://example.com$1', '.evil.org'), undefined)
  assert.equal(expand('Location', '//example.com$1', '/a'), '//example.com/a')
})

test('a location takes groups as their place demands', () => {
  assert.equal(expand('location', '/a/$1?q=$1#$1', 'b&c/d?'), '/a/b&c/d%3F?q=b%26c%2Fd%3F#b&c/d%3F')
  assert.equal(expand('location', '/日本', ''), '/%E6%97%A5%E6%9C%AC')
  assert.equal(expand('location', 'mailto:$1@example.com', 'me'), 'mailto:me@example.com')
})

test('a value that gets too long is not made', () => {
  assert.equal(expand('X-Path', '$1$1$1', 'x'.repeat(4000)), undefined)
})

test('no captured text yields a header that Node refuses or that has a line break', () => {
  const value = fc.constantFrom(
    '$1',
    'a $1',
    '/$1',
    'https://example.com$1',
    'https://example.com/?q=$1',
    '$x;$1',
  )
  fc.assert(
    fc.property(fc.constantFrom('location', 'x-any'), value, anyText, (name, text, group) => {
      const expanded = expand(name, text, group)
      if (expanded === undefined) return
      assert.doesNotMatch(expanded, /[\r\n]/)
      validateHeaderValue(name, expanded)
    }),
  )
})

test('names and values that are accepted are accepted by Node', () => {
  fc.assert(
    fc.property(anyText, anyText, (name, value) => {
      const read = readHeaderRule(name, value, new Map())
      if (!read.ok) return
      validateHeaderName(read.header.name)
      validateHeaderValue(read.header.name, expandHeader(read.header, []) ?? '')
    }),
    { numRuns: 500 },
  )
})

const REFUSED: readonly (readonly [name: string, value: unknown, reason: RegExp])[] = [
  ['', 'x', /valid header name/],
  ['a b', 'x', /valid header name/],
  ['a:b', 'x', /valid header name/],
  ['a\r\nb', 'x', /valid header name/],
  ['Content-Length', '0', /only the server can set/],
  ['transfer-encoding', 'chunked', /only the server can set/],
  ['x-a', 1, /must be a string/],
  ['x-a', 'a\r\nb: c', /line break/],
  ['x-a', 'a\0', /not allowed in a header/],
  ['x-a', '日本', /not allowed in a header/],
  ['location', '/a\nb', /line break/],
  ['location', 'https://$1/', /not come from a group/],
  ['x-a', 'x'.repeat(4097), /longer than 4096/],
]

for (const [name, value, reason] of REFUSED)
  test(`header ${JSON.stringify(name)}: ${JSON.stringify(value).slice(0, 20)} is refused with a reason`, () => {
    const read = readHeaderRule(name, value, new Map())
    assert.ok(!read.ok)
    assert.match(read.reason, reason)
  })
