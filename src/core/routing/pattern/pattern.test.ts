import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Groups } from '../url/template.ts'
import { matchPattern, type Pattern, readPattern, regexError, sizeError, toSubject } from './pattern.ts'
import { compileRegex } from './regex-engine.ts'

function pattern(src: string): Pattern {
  const read = readPattern(src)
  assert.ok(read.ok, `${src}: ${read.ok ? '' : read.reason}`)
  return read.pattern
}

const match = (src: string, path: string) =>
  matchPattern(pattern(src), toSubject(path), { left: Number.POSITIVE_INFINITY })

const MATCHES: readonly (readonly [
  src: string,
  path: string,
  groups: readonly (string | undefined)[] | undefined,
])[] = [
  ['/about', '/about', []],
  ['/about', '/ABOUT', []],
  ['/about', '/about/', undefined],
  ['/about', '/x/about', undefined],
  ['^/about$', '/about', []],
  [String.raw`\/about\.html`, '/about.html', []],
  [String.raw`/about\.html`, '/aboutxhtml', undefined],
  [String.raw`/price\$`, '/price$', []],
  [String.raw`/price\\$`, '/price\\', []],
  ['/(.*)', '/Some/Thing', ['Some/Thing']],
  ['/.*', '/', []],
  ['/blog/(?<slug>[^/]+)', '/BLOG/Post', ['Post']],
  ['/blog/([^/]+)', '/blog/a/b', undefined],
  ['/blog/([^/]+)', '/blog/', undefined],
  [String.raw`/([^\/]*)\.html`, '/.html', ['']],
  ['/(.*)/(.*)', '/a/b/c', ['a/b', 'c']],
  ['/(?P<id>\\d+)', '/42', ['42']],
  ['/(a)|/(b)', '/B', [undefined, 'B']],
  ['/a|/b', '/ab', undefined],
  ['^/a|/b$', '/a/more', undefined],
  ['/a?b', '/b', []],
  ['/[a-c]+', '/ABC', []],
  ['/\\u0041\\x42', '/ab', []],
  ['/a{,3}', '/a{,3}', []],
  ['/caf\u00e9', '/CAF\u00c9', []],
  ['/(.+)', '/\u{1f600}', ['\u{1f600}']],
  ['about', '/about', []],
  ['api/(.*)', '/api/x', ['x']],
  ['^$', '/', []],
  ['/caf%C3%A9', '/caf\u00e9', []],
  ['^/a%20b/(.*)$', '/a b/c', ['c']],
  ['/a%2Bb%2ec', '/a+b.c', []],
  ['/a%2ec', '/abc', undefined],
  ['/[%5B%2D%5D]', '/]', []],
  ['/a%2fb', '/a%2Fb', []],
  ['/a%2fb', '/a/b', undefined],
  ['/100%25', '/100%', []],
  ['/a%252Fb', '/a%252Fb', []],
  ['/a%252Fb', '/a%2Fb', undefined],
  ['/%zz%', '/%zz%', []],
  [String.raw`/a\%20b`, '/a%20b', []],
]

for (const [src, path, groups] of MATCHES)
  test(`${src} ${groups === undefined ? 'does not match' : 'matches'} ${path}`, () =>
    assert.deepEqual(match(src, path), groups))

/** So many characters, of which none follows another. */
function everyOther(count: number): string {
  return String.fromCodePoint(...Array.from({ length: count }, (_, index) => 0x4e00 + 2 * index))
}

const REFUSED: readonly (readonly [src: string, reason: RegExp])[] = [
  ['', /empty/],
  ['/(?=a)b', /look-ahead is not supported.*linear/],
  ['/(?!api).*', /look-ahead is not supported.*linear/],
  ['/(?<=a)b', /look-behind is not supported.*linear/],
  ['/(?<!a)b', /look-behind is not supported.*linear/],
  [String.raw`/(a)\1`, /back-reference is not supported.*linear/],
  [String.raw`/(?<x>a)\k<x>`, /back-reference is not supported.*linear/],
  ['/(?>a)b', /atomic group/],
  ['/a++', /possessive/],
  ['/(a', /\( is not closed/],
  ['/a)', /\) has no opening/],
  ['/a)(b', /\) has no opening/],
  ['/[a', /\[ is not closed/],
  ['/[]', /class is empty/],
  ['/(?<1a>x)', /group name/],
  ['/(?<a-b>x)', /group name/],
  ['/a\\', /lone backslash/],
  [String.raw`/\Qa\E`, /quoting/],
  [String.raw`/\y`, /\\y at position 1 is not supported/],
  ['/a(?i)*', /nothing to repeat/],
  ['/(?#c)', /not supported/],
  [`/${'a'.repeat(4096)}`, /longer than 4096/],
  ['/(?:x{100}){100}', /too complex/],
  [`/${'x{1000}'.repeat(100)}(y|z)`, /too complex/],
  [`/${String.raw`\pL`.repeat(100)}`, /too complex/],
  [`/x${'[B-\u{1e942}]'.repeat(3)}`, /too complex/],
  [`/x[${'B-\u{1e942}'.repeat(3)}]`, /too complex/],
  [`/x${String.raw`[^\x{42}-\x{1E942}]`.repeat(3)}`, /too complex/],
  [`/x${String.raw`[\u0042-\uffff]`.repeat(5)}`, /too complex/],
  [`/x${String.raw`[\t-\u{1e942}]`.repeat(3)}`, /too complex/],
  [`/(a|b)[${everyOther(1000)}]{100}`, /too complex/],
]

for (const [src, reason] of REFUSED)
  test(`${src.slice(0, 40)} is refused with a reason`, () => {
    const read = readPattern(src)
    assert.match((read.ok ? sizeError(read.pattern) : read.reason) ?? '', reason)
  })

test('what only the engine can find is reported by it', () => {
  assert.match(regexError(pattern('/a**')) ?? '', /invalid nested repetition operator/)
  assert.match(regexError(pattern('/[z-a]')) ?? '', /invalid character class range/)
  assert.match(regexError(pattern('/(?<a>x)(?<a>y)')) ?? '', /duplicate capture group name/)
  assert.match(regexError(pattern('/(*)')) ?? '', /missing argument/)
  assert.equal(regexError(pattern('/(a|b)')), undefined)
})

test('a literal and a single wildcard are tried without compiling a regex', () => {
  for (const src of ['/about', '^/a\\.b$', '/(.*)', '/blog/([^/]+)/edit', '/(?<rest>.+)', '(.*)', '.*'])
    assert.notEqual(pattern(src).shape.kind, 'regex', src)
})

test('a regex runs only on paths with the text that it begins and ends with', () => {
  const { shape } = pattern(String.raw`/users/(\d+)/posts`)
  assert.deepEqual(shape, { kind: 'regex', before: '/users/', after: '/posts' })
  assert.deepEqual(pattern('/ab?c').shape, { kind: 'regex', before: '/a', after: 'c' })
  assert.deepEqual(pattern('/a|/b').shape, { kind: 'regex', before: '', after: '' })
})

const literalChar = fc.oneof(
  fc.constantFrom(...'/abkKsSzZ09._-~+?*$()[]{}|^%'),
  fc.constantFrom('\u017f', '\u212a', 'é', 'É', '😀'),
)
const quoted = (text: string) =>
  [...text].map((char) => (/[\w/\u0080-\u{10ffff}]/u.test(char) ? char : `\\${char}`)).join('')
const literal = fc.array(literalChar, { maxLength: 8 }).map((chars) => chars.join(''))
const wildcard = fc.constantFrom(
  '',
  '.*',
  '(.*)',
  '.+',
  '(.+)',
  '[^/]*',
  '([^/]+)',
  '(?<name>.+?)',
  '(\\w+)',
  '[a-s]+',
)

/** The text again with letters in another case, or another text. */
const likely = (text: string) =>
  fc.oneof(fc.constant(text), fc.constant(text.toUpperCase()), fc.constant(text.toLowerCase()), literal)

test('the shortcuts match what the regex engine matches, with the same groups', () => {
  const cases = fc.tuple(literal, wildcard, literal).chain(([before, hole, after]) =>
    fc.record({
      src: fc.constant(`/${quoted(before)}${hole}${quoted(after)}`),
      path: fc
        .tuple(likely(before), literal, likely(after))
        .map(([start, middle, end]) => `/${start}${hole === '' ? '' : middle}${end}`),
    }),
  )
  fc.assert(
    fc.property(cases, ({ src, path }) => assert.deepEqual(match(src, path), compileRegex(src).match(path))),
    { numRuns: 500 },
  )
})

test('whatever the pattern, reading it does not throw, and what it is tried on first never hides a match', () => {
  const source = fc.array(
    fc.constantFrom(
      ...'ab/.*+?()[]|^$-',
      '\\.',
      '\\d',
      '\\',
      '(?:',
      '(?<n>',
      '[^/]',
      '.*',
      '{2}',
      '{',
      '(?i)',
      '(?=',
      '\\1',
    ),
    { maxLength: 10 },
  )
  const path = fc.array(fc.constantFrom(...'aAb/.2'), { maxLength: 6 }).map((chars) => `/${chars.join('')}`)
  fc.assert(
    fc.property(source, fc.array(path, { maxLength: 5 }), (parts, paths) => {
      const src = parts.join('')
      const read = readPattern(src)
      if (!read.ok) return assert.ok(read.reason.length > 0)
      if (regexError(read.pattern) !== undefined) return
      const regex = compileRegex(src)
      for (const tried of paths) {
        const rootless: Groups | undefined = read.pattern.isRootless ? regex.match(tried.slice(1)) : undefined
        assert.deepEqual(match(src, tried), regex.match(tried) ?? rootless, `${src} on ${tried}`)
      }
    }),
    { numRuns: 1000 },
  )
})

test('patterns that backtrack without end elsewhere are done with a path of 50 kB', {
  timeout: 20_000,
}, () => {
  const path = `/${'a'.repeat(50_000)}!`
  for (const src of ['/(a+)+$', '/(a|aa)+', '/(a*)*b', '/(.*)(.*)(.*)(.*)x', '/([a-z]+)*/'])
    assert.equal(match(src, path), undefined, src)
})

test('a regex that the meter does not allow is not run', () => {
  const meter = { left: 100 }
  assert.equal(matchPattern(pattern('/(a|b)(.*)(a)'), toSubject(`/${'a'.repeat(100)}`), meter), undefined)
  assert.ok(meter.left < 0)
})

test('sets of whole scripts are accepted, however often each is repeated', () => {
  for (const src of [
    '/([\u0080-\uffff]+)/([\u0080-\uffff]+)',
    '/(?:[\u4e00-\u9fa5]{1,100}|x)',
    String.raw`/(?:[\x00-\x{10ffff}][^\x00-\x7f][\w.-]){100}`,
    `/(a|b)[${everyOther(1000)}]+`,
  ])
    assert.equal(regexError(pattern(src)), undefined, src)
})

test('a regex that the meter does not allow is not compiled, and costs nothing once it is', () => {
  const src = '/not/compiled/(?:a|b){100}'
  const subject = toSubject(`/not/compiled/${'a'.repeat(100)}`)
  const poor = { left: 1000 }
  assert.equal(matchPattern(pattern(src), subject, poor), undefined)
  assert.ok(poor.left < 0)
  assert.deepEqual(matchPattern(pattern(src), subject, { left: 100_000 }), [])
  assert.deepEqual(matchPattern(pattern(src), subject, { left: 1000 }), [])
})
