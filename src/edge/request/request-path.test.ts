import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { linkTo, readTarget, specialPathOf } from './request-path.ts'

const PATHS: readonly (readonly [string, string | undefined])[] = [
  ['/', '/'],
  ['/a/b.html', '/a/b.html'],
  ['/a%20b', '/a b'],
  ['/%C3%A9', '/é'],
  ['/a//b///c', '/a/b/c'],
  ['/./a/./b', '/a/b'],
  ['/a/../b', '/b'],
  ['/../../etc/passwd', '/etc/passwd'],
  ['/%2e%2e/%2e%2e/etc/passwd', '/etc/passwd'],
  ['/a/..', '/'],
  ['/a/b/..', '/a/'],
  ['/a\\..\\b', '/a%5C..%5Cb'],
  ['/a%2Fb', '/a%2Fb'],
  ['/100%25', '/100%'],
  ['/%', undefined],
  ['/%2', undefined],
  ['/%zz', undefined],
  ['/a%00b', undefined],
  ['/a\0b', undefined],
  ['*', undefined],
  ['', undefined],
]

for (const [raw, path] of PATHS)
  test(`the path ${JSON.stringify(raw)} is ${path === undefined ? 'refused' : path}`, () =>
    assert.equal(readTarget(raw)?.path, path))

test('a target is taken apart at its first question mark', () => {
  assert.deepEqual(readTarget('/a%20b?c=%&d?e'), { rawPath: '/a%20b', path: '/a b', query: 'c=%&d?e' })
  assert.deepEqual(readTarget('/a?'), { rawPath: '/a', path: '/a', query: '' })
})

const segment = fc.oneof(
  fc.constantFrom('..', '.', '', '%2e%2e', '%2E.', '..%2f', '%5c..', '\\..', '%252e%252e', '...', 'a'),
  fc.string({ unit: 'binary-ascii', maxLength: 5 }),
)

test('no path leads out of the site, however it is spelt', () => {
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 8 }), (segments) => {
      const path = readTarget(`/${segments.join('/')}`)?.path
      if (path === undefined) return
      assert.ok(path.startsWith('/') && !path.includes('\0') && !path.includes('\\'))
      for (const part of path.split('/')) assert.ok(part !== '..' && part !== '.')
      assert.ok(!path.includes('//'))
    }),
    { numRuns: 1000 },
  )
})

const name = fc
  .array(
    fc
      .string({ minLength: 1, maxLength: 6, unit: 'grapheme' })
      .filter((part) => !part.includes('/') && !/^\.{1,2}$/.test(part) && !part.includes('\0')),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join('/'))

test('the link to a file leads to the path under which its name is found', () => {
  fc.assert(
    fc.property(name, (file) => {
      assert.equal(readTarget(linkTo(file))?.path, specialPathOf(file) ?? `/${file}`)
    }),
    { numRuns: 1000 },
  )
})

test('different names are found under different paths', () => {
  const names = ['a%2Fb', 'a/b', 'a%252Fb', 'a\\b', 'a%5Cb', 'a%b', 'a%25b', 'a\nb', 'a%0Ab']
  assert.equal(new Set(names.map((file) => specialPathOf(file) ?? `/${file}`)).size, names.length)
})
