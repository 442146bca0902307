import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Groups } from '../../url/template.ts'
import { readTokens } from '../pattern-tokens.ts'
import { compileRegex, type Regex } from '../regex-engine.ts'
import { compileLookAround } from './look-around.ts'

function compile(source: string, isCaseSensitive = false): Regex {
  const read = readTokens(source, true)
  assert.ok(read.ok, `${source}: ${read.ok ? '' : read.reason}`)
  return compileLookAround(read.tokens, isCaseSensitive)
}

function matchNatively(source: string, text: string, isCaseSensitive = false): Groups | undefined {
  const match = new RegExp(`^(?:${source})$`, isCaseSensitive ? 'su' : 'isu').exec(text)
  return match === null ? undefined : match.slice(1)
}

/** As frameworks write them. */
const SOURCES = [
  '/((?!api|_next/static|_next/image|favicon.ico).*)',
  String.raw`(?:/(_next/data/[^/]{1,}))?(?:/((?!api|_next/static|_next/image|favicon.ico|.*\.png$).*))(\.json)?[/#?]?`,
  '(?!/_next)(?:/(.*))?',
  '(?!/api).*',
  '/(?!api)(.+)',
  '/[a-z]((?!pi)(?<=[ab]).*)',
  '/(a(?!pi).*)',
  String.raw`/((?!.+\.rsc).+?)(?:/)?`,
  '/((?!index$).*)',
  '/((?!_next/)(?:.*[^/]|.*))/?',
  '/(?!(?:_next/.*|en|fr|nl-NL)(?:/.*|$))(.*)',
  '(?:/((?:[^/]+?)(?:/(?:[^/]+?))*))/',
  String.raw`/(?!\.well-known(?:/.*)?)(?:((?:[^/]+/)*[^/\.]+))`,
  String.raw`(?!/_next)(?:/((?!\.well-known(?:/.*)?)(?:[^/]+/)*[^/\.]+\.\w+))/`,
  String.raw`/(.*)(?<!\.html)`,
  String.raw`/(?=.*\.js$)(?<dir>.*/)?(?<file>[^/]+)`,
  '/(?:.*(?<=/static/)|)([^/]*)',
  String.raw`/blog/(?<nxtPslug>[^/]+?)(?=/|\.rsc|$)(?:\.rsc)?(?:/)?`,
  String.raw`/(?=(\w+)/(\w+))(?:.*)`,
  String.raw`/(?:.*)(?<=(\w+)/(\w+))`,
  String.raw`/(?:(?!\.\.)[^/])+(?:/(?:(?!\.\.)[^/])+)*`,
  String.raw`/\b(?!\d)\w+\b`,
  '/(?!.*(?=(?:x)y)z)(.*)(?<!b(?<=ab))',
]

const WORDS = [
  ...[
    'api',
    '_next',
    'static',
    'data',
    'image',
    'favicon.ico',
    'index',
    'en',
    'fr',
    'nl-NL',
    'blog',
    'hello',
  ],
  ...['hello.rsc', 'a.b.html', 'x.js', 'a.json', '.well-known', 'API', 'xyz', 'ab', '..', '0', 'é', '😀', ''],
]

test('patterns of frameworks match and capture as they do natively', () => {
  const path = fc
    .array(fc.constantFrom(...WORDS), { maxLength: 4 })
    .chain((words) => fc.constantFrom(`/${words.join('/')}`, `/${words.join('/')}/`, `/${words.join('')}`))
  const regexes = SOURCES.map((source) => ({ source, regex: compile(source) }))
  fc.assert(
    fc.property(fc.constantFrom(...regexes), path, ({ source, regex }, text) =>
      assert.deepEqual(regex.match(text), matchNatively(source, text), `${source} on ${text}`),
    ),
    { numRuns: 3000 },
  )
})

interface Generated {
  readonly source: string
  readonly isNullable: boolean
  readonly hasGroup: boolean
  /** Whether engines agree about what it captures: groups that are repeated are kept by some and emptied by others. */
  readonly isPlain: boolean
}

const atom: fc.Arbitrary<Generated> = fc
  .constantFrom(
    'a',
    'b',
    'S',
    '/',
    '.',
    '[ab]',
    '[^a]',
    '[a-c/]',
    String.raw`\w`,
    String.raw`\.`,
    'é',
    '[^/]',
  )
  .map((source) => ({ source, isNullable: false, hasGroup: false, isPlain: true }))

const assertion: fc.Arbitrary<Generated> = fc
  .constantFrom('^', '$', String.raw`\b`, String.raw`\B`)
  .map((source) => ({ source, isNullable: true, hasGroup: false, isPlain: true }))

const generated = fc.letrec<{ node: Generated }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    atom,
    assertion,
    fc.array(tie('node'), { maxLength: 4 }).map((nodes) => joined(nodes, '')),
    fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map((nodes) => {
      const { source, ...rest } = joined(nodes, '|')
      return { ...rest, source: `(?:${source})`, isNullable: nodes.some((node) => node.isNullable) }
    }),
    tie('node').map((node) => ({ ...node, source: `(${node.source})`, hasGroup: true })),
    fc.tuple(tie('node'), fc.constantFrom('(?=', '(?!', '(?<=', '(?<!')).map(([node, open]) => ({
      ...node,
      source: `${open}${node.source})`,
      isNullable: true,
    })),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?', '{2,}'))
      .map(([node, count]) => ({
        source: `(?:${node.source})${count}`,
        isNullable: node.isNullable || /^[*?]|^\{0/.test(count),
        hasGroup: node.hasGroup,
        isPlain: node.isPlain && !node.hasGroup && !node.isNullable,
      })),
  ),
}))

function joined(nodes: readonly Generated[], separator: string): Generated {
  return {
    source: nodes.map(({ source }) => source).join(separator),
    isNullable: nodes.every(({ isNullable }) => isNullable),
    hasGroup: nodes.some(({ hasGroup }) => hasGroup),
    isPlain: nodes.every(({ isPlain }) => isPlain),
  }
}

const text = fc.array(fc.constantFrom(...'aabbcsS/./é😀'), { maxLength: 8 }).map((chars) => chars.join(''))

test('any pattern matches what it matches natively, and captures the same where engines agree', () => {
  fc.assert(
    fc.property(
      generated.node,
      fc.array(text, { maxLength: 6 }),
      fc.boolean(),
      (node, texts, isCaseSensitive) => {
        const regex = compile(node.source, isCaseSensitive)
        for (const tried of texts) {
          const found = regex.match(tried)
          const native = matchNatively(node.source, tried, isCaseSensitive)
          const message = `${node.source} on ${tried}`
          if (node.isPlain) assert.deepEqual(found, native, message)
          else assert.equal(found !== undefined, native !== undefined, message)
        }
      },
    ),
    { numRuns: 4000 },
  )
})

test('without look-around, it matches and captures as the engine for such patterns does', () => {
  fc.assert(
    fc.property(generated.node, fc.array(text, { maxLength: 6 }), (node, texts) => {
      fc.pre(!/\(\?<?[=!]/.test(node.source))
      const regex = compile(node.source)
      const other = compileRegex(node.source)
      for (const tried of texts)
        assert.deepEqual(regex.match(tried), other.match(tried), `${node.source} on ${tried}`)
    }),
    { numRuns: 1500 },
  )
})

test('patterns that backtrack without end elsewhere are done with a path of 20 kB', {
  timeout: 30_000,
}, () => {
  const path = `/${'a'.repeat(20_000)}!`
  for (const source of [
    '/(?!(a+)+$)(a|aa)+',
    '/(?:(?!b.*c).)*(?=x)',
    '/(?:(?=(?:a*)*b)a)*',
    '/(?:a(?<=(a|aa)+))*',
    '/(?=(.*)(.*)(.*)x)(.*)',
    '/(?:(?!(?:(?!z).)*y)[^!])*',
  ])
    assert.equal(compile(source).match(path), undefined, source)
})

const setItem = fc.oneof(
  fc.constantFrom(
    ...'akKsSzZ09',
    '\u017f',
    '\u212a',
    'é',
    'É',
    'ß',
    'ẞ',
    'σ',
    'ς',
    'Σ',
    'µ',
    '\u{10428}',
    'ǆ',
    'ǅ',
    '中',
  ),
  fc.constantFrom(
    'a-k',
    'P-z',
    'À-Þ',
    'Α-ω',
    '\u0080-\uffff',
    '\u{10400}-\u{10427}',
    String.raw`\w`,
    String.raw`\D`,
  ),
  fc.nat({ max: 0x2fff }).map((index) => String.fromCodePoint(0x100 + index)),
)

test('sets have the characters, and the cases of them, that they have natively', () => {
  const set = fc
    .tuple(fc.constantFrom('', '^'), fc.array(setItem, { minLength: 1, maxLength: 100 }))
    .map(([sign, items]) => `[${sign}${items.join('')}]`)
  const char = fc.oneof(
    fc.constantFrom(
      ...'akKsSzZ09-',
      '\u017f',
      '\u212a',
      'é',
      'É',
      'ß',
      'ẞ',
      'σ',
      'ς',
      'Σ',
      'µ',
      'μ',
      'ǅ',
      '\u{10400}',
      '😀',
    ),
    fc.nat({ max: 0x2fff }).map((index) => String.fromCodePoint(0x100 + index)),
  )
  fc.assert(
    fc.property(set, fc.array(char, { maxLength: 30 }), fc.boolean(), (source, chars, isCaseSensitive) => {
      const regex = compile(`(?!xyz)${source}`, isCaseSensitive)
      for (const tried of chars)
        assert.deepEqual(
          regex.match(tried),
          matchNatively(source, tried, isCaseSensitive),
          `${source} on ${tried}`,
        )
    }),
    { numRuns: 1000 },
  )
})

test('a step takes no longer for a set of thousands of characters', { timeout: 30_000 }, () => {
  const every = (count: number, first: number) =>
    String.fromCodePoint(...Array.from({ length: count }, (_, index) => first + 2 * index))
  const regex = compile(`/(?!z).*[^${every(4000, 0x4e00)}]{0,500}y?z`)
  assert.equal(regex.match(`/${every(4000, 0x4e01)}`), undefined)
})

test('classes of most characters are compiled as soon as others', { timeout: 30_000 }, () => {
  for (let i = 0; i < 30; i++) compile(`/(?!z)${String.raw`\W`.repeat(1900)}${String.raw`[\D]`.repeat(i)}`)
})

const REFUSED: readonly (readonly [source: string, reason: RegExp])[] = [
  ['(?=a)*', /nothing to repeat/],
  ['(?!a)^*', /nothing to repeat/],
  ['*(?!a)', /nothing to repeat/],
  ['(?!a)b**', /follows another/],
  ['(?!a)b{3,2}', /invalid count/],
  ['(?!a)b{1001}', /invalid count/],
  ['(?!a)(?i)b', /flags are not supported/],
  ['(?!a)(?i:b)', /flags are not supported/],
  ['(?!a)[z-a]', /invalid range/],
  [String.raw`(?!a)[\d-z]`, /invalid range/],
  [String.raw`(?!a)\pL`, /\\p is not supported/],
  ['(?!a)[[:alpha:]]', /named classes/],
  [String.raw`(?!a)\x{110000}`, /not a character/],
  [`(?!a)${'('.repeat(101)}${')'.repeat(101)}`, /nested more than 100/],
  ['(?!a)'.repeat(101), /more than 100 places/],
]

for (const [source, reason] of REFUSED)
  test(`${source.slice(0, 30)} is refused with a reason`, () => assert.throws(() => compile(source), reason))

const ESCAPES: readonly (readonly [source: string, text: string])[] = [
  [String.raw`(?!x)\x41\x{42}\u0043\cA\t[\x44-\u0046\]\\-]+`, 'aBc\u0001\tDeF]\\-'],
  [String.raw`(?!x)\d\D\w\W\s\S[\d\s][^\w]`, '1a_-\t!7+'],
  [String.raw`(?!x)\A[.*]\.\z`, '*.'],
  ['(?!x)[a-]k[\u{1f600}-\u{1f602}]', '-\u212a\u{1f601}'],
]

for (const [source, text] of ESCAPES)
  test(`${source} is understood`, () => assert.deepEqual(compile(source).match(text), []))
