import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodePath, encodePath, encodeQueryText, hasDotSegment } from './request-path.ts'

/** Any UTF-16 text, halves of surrogate pairs included, with what matters in paths and headers more often. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'/\\?#&=%.:@ \r\n\t\0"', '%2F', '%0D', 'é', 'a'),
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    ),
  )
  .map((parts) => parts.join(''))

const DECODED: readonly (readonly [raw: string, path: string, why: string])[] = [
  ['/', '/', 'the root'],
  ['', '/', 'nothing is the root'],
  ['/a/b.css', '/a/b.css', 'a plain path'],
  ['/%61%2E%62', '/a.b', 'escapes of plain characters'],
  ['/caf%C3%A9', '/café', 'UTF-8'],
  ['/caf\xc3\xa9', '/café', 'UTF-8 that was sent without escapes, one character a byte'],
  ['/%F0%9F%98%80', '/😀', 'UTF-8 of four bytes'],
  ['/a%2fb', '/a%2Fb', 'an escaped slash is no separator'],
  ['/a%5cb', '/a%5Cb', 'an escaped backslash stays'],
  ['/a\\b', '/a%5Cb', 'a backslash is escaped'],
  ['/a%0d%0ab%00', '/a%0D%0Ab%00', 'control characters stay escaped'],
  ['/%ff', '/%FF', 'bytes that are not UTF-8 stay escaped'],
  ['/%e0%80%af', '/%E0%80%AF', 'overlong UTF-8 stays escaped'],
  ['/%ed%a0%80', '/%ED%A0%80', 'an encoded surrogate stays escaped'],
  ['/100%', '/100%', 'a percent sign that starts no escape is a character'],
  ['/%zz', '/%zz', 'letters that are no hex digits are characters'],
  ['/100%25', '/100%', 'an escaped percent sign'],
  ['/%2561dmin', '/%61dmin', 'what is escaped twice is decoded once'],
  ['/a%252fb', '/a%252fb', 'an escaped percent sign stays where it would read as a kept escape'],
  ['/a%25252Fb', '/a%25252Fb', 'also when escaped more often'],
  ['/a%25%32Fb', '/a%252Fb', 'also when its digits are escaped'],
  ['/a%%32Fb', '/a%252Fb', 'or when it is not escaped itself'],
  ['//a///b', '/a/b', 'repeated slashes are one'],
  ['/a/./b/../c', '/a/c', 'dot segments are resolved'],
  ['/../../etc/passwd', '/etc/passwd', 'nothing is above the root'],
  ['/%2e%2e/%2E./a', '/a', 'escaped dots are dots'],
  ['/a/..', '/', 'a trailing .. leaves a folder'],
  ['/a/b/.', '/a/b/', 'a trailing . is the folder'],
  ['/..%2f..%2fetc', '/..%2F..%2Fetc', 'an escaped slash does not make a dot segment'],
  ['/a/b/', '/a/b/', 'a trailing slash stays'],
  ['/.well-known/x', '/.well-known/x', 'a hidden folder is no dot segment'],
]

for (const [raw, path, why] of DECODED)
  test(`decodePath ${JSON.stringify(raw)}: ${why}`, () => assert.equal(decodePath(raw), path))

/** The bytes that a raw path stands for, decoded once and without judgement. */
function bytesOf(raw: string): Buffer {
  return Buffer.from(
    raw.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}

const RAW_PARTS = [
  '%',
  '%25',
  '%2F',
  '%2f',
  '25',
  '2F',
  '2',
  'F',
  '%32',
  '%46',
  '%35',
  '%5C',
  '%c3',
  '%A9',
  '%0a',
  'é',
]
const rawSegment = fc
  .array(
    fc.oneof(
      fc.constantFrom(...RAW_PARTS),
      fc.integer({ min: 1, max: 255 }).map((byte) => String.fromCharCode(byte)),
    ),
  )
  .map((parts) => parts.join('').replaceAll('/', ''))

test('encoding a decoded path gives back the bytes that were sent', () => {
  fc.assert(
    fc.property(rawSegment, (segment) => {
      const raw = `/x${segment}x`
      const again = encodePath(decodePath(raw))
      assert.deepEqual(bytesOf(again), bytesOf(raw))
      assert.match(again, /^[!-~]*$/)
    }),
    { numRuns: 1000 },
  )
})

test('decoding is stable under encoding and decoding again', () => {
  fc.assert(
    fc.property(fc.array(rawSegment), (segments) => {
      const path = decodePath(`/${segments.join('/')}`)
      assert.equal(decodePath(encodePath(path)), path)
    }),
  )
})

test('a decoded path starts with one slash and has no dot segment, backslash or control character', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(rawSegment).map((s) => s.join('/')),
      ),
      (raw) => {
        const path = decodePath(raw)
        assert.match(path, /^\/(?!\/)/)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
        assert.doesNotMatch(path, /[\x00-\x1f\x7f\\]|\/\/|\/\.{1,2}(?:\/|$)/)
      },
    ),
  )
})

test('encodePath never lets text end the path, and encodeQueryText never the value', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.match(encodePath(text), /^[!-~]*$/)
      assert.doesNotMatch(encodePath(text), /[?#\\"<> ]/)
      assert.doesNotMatch(encodeQueryText(text), /[&=?#+\\"<> /]/)
    }),
  )
})

test('hasDotSegment sees through escapes that an upstream may decode', () => {
  for (const path of ['/..', '/a/../b', '/a/./b', '/%2e%2E/b', '/x/..%2Fb', '/x%5C..', '..', '/a/.'])
    assert.ok(hasDotSegment(path), path)
  for (const path of ['/', '/a', '/...', '/..a', '/a..', '/a../b', '/.well-known'])
    assert.ok(!hasDotSegment(path), path)
})
