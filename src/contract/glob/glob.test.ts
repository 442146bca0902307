import assert from 'node:assert/strict'
import { matchesGlob } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileGlob, type Glob, GlobError, globBudget } from './glob.ts'
import { MOST_STATES } from './glob-error.ts'

const mistakeOf = (pattern: string): string => {
  try {
    compileGlob(pattern)
  } catch (error) {
    assert.ok(error instanceof GlobError)
    return error.message
  }
  return 'none'
}

const NAMES = 'a b c ab .a .js a.js b.ts a.d.ts 1 2 01 aa aba bc x xay xcy abc {a} -a a- b.js a.jsx $a'.split(
  ' ',
)
const PATHS = NAMES.flatMap((a) => [
  a,
  ...NAMES.flatMap((b) => [`${a}/${b}`, ...['a', '.a', 'c', 'a.js'].map((c) => `${a}/${b}/${c}`)]),
])

const PATTERNS = [
  ...'** * *.js **/*.js a/** a/**/b **/a/** a/*/b a/**/* **/* a/b* */ a/ a//b a/**/**/b **/** **a a**'.split(
    ' ',
  ),
  ...'a? ?a a[bc] [!a]* [^a] [a-] []a] [a [[:alpha:]]* [c-a] .* **/.* a/.*/b *a*a*a *.*'.split(' '),
  ...'{a,b}/*.{js,ts} {1..3} {01..10..3} {3..1} {-2..2} {a..c} {a} {a a} x{a,{b,c}}y {a,b/c}/d'.split(' '),
  ...'{**,x}/a a/{**,x}/b a.{j,t}s{,x} {,a}b {a/,b}'.split(' '),
  ...'+(a|b) *(a|b).js ?(a).js @(a|b) @(.a|b) *(.a) *.+(js|ts) *(a|)b +(a|b|ab)c *(*(a)|b)c @(a'.split(' '),
  ...'!(a) !(a).js a!(b) !(a|b)/c **/!(*.d).ts !(.a)'.split(' '),
]

test('a pattern matches the paths that node:path says it does', () => {
  for (const pattern of PATTERNS) {
    const glob = compileGlob(pattern)
    for (const path of PATHS)
      assert.equal(glob.matches(path), matchesGlob(path, pattern), `${pattern} against ${path}`)
  }
})

/** A few of them have more characters in all their alternatives than there may be states. No other is refused. */
function compiledOrTooComplex(pattern: string): Glob | undefined {
  try {
    return compileGlob(pattern)
  } catch (error) {
    const alternatives = 2 ** (pattern.split('{').length - 1)
    assert.ok(error instanceof GlobError && alternatives * pattern.length > MOST_STATES, pattern)
    return undefined
  }
}

test('so do patterns that were made by chance', () => {
  const piece = fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[!a]', '{a,b}', '{a,*.b}', '@(a|b.)', '-')
  const name = fc.oneof(
    { weight: 1, arbitrary: fc.constant('**') },
    {
      weight: 4,
      arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')),
    },
  )
  const of = (part: fc.Arbitrary<string>) =>
    fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  const file = of(fc.stringMatching(/^(?:[ab-]|\.[ab]|\.\.[ab])[ab.-]{0,4}$/))
  fc.assert(
    fc.property(of(name), file, (pattern, path) => {
      // node:path reads `.` and `..` between slashes as steps, which no stored path has.
      fc.pre(!pattern.split(/[/,{}|()]/).some((step) => /^\.+$/.test(step)))
      // More alternatives than we take are refused, which has a test of its own.
      fc.pre(pattern.split('{').length <= 7)
      const glob = compiledOrTooComplex(pattern)
      if (glob !== undefined) assert.equal(glob.matches(path), matchesGlob(path, pattern))
    }),
    { numRuns: 5_000 },
  )
})

/** Counted by the budget, not by the clock: what an exponential matcher could not do with. */
const matchesWithin = (pattern: string, path: string, steps: number): boolean =>
  compileGlob(pattern, globBudget(steps)).matches(path)

test('patterns that keep others guessing take time in proportion to their length', () => {
  const long = 'a'.repeat(4_000)
  assert.equal(matchesWithin(`${'*a'.repeat(12)}b`, long, 500_000), false)
  assert.equal(matchesWithin('*a'.repeat(12), long, 500_000), true)
  assert.equal(matchesWithin(`${'**/a/'.repeat(12)}b`, `${'a/'.repeat(2_000)}c`, 1_000_000), false)
  assert.equal(matchesWithin(`${'+(a|aa)'.repeat(12)}b`, long, 1_000_000), false)
  assert.equal(matchesWithin('*(*(*(a)))b', long, 500_000), false)
  assert.equal(matchesWithin('!(*a*a*a*b)', long, 500_000), true)
})

test('a pattern that stands for too much is refused, with the reason', () => {
  assert.equal(mistakeOf('{a,b}'.repeat(14)), 'its braces expand to more than 100 patterns')
  assert.equal(mistakeOf('{1..1000000}'), 'its braces expand to more than 100 patterns')
  assert.equal(mistakeOf('{'.repeat(500)), 'none')
  assert.equal(mistakeOf('a'.repeat(1_025)), 'it is longer than 1024 characters')
  assert.equal(mistakeOf(`{${'a,'.repeat(99)}b}${'c'.repeat(300)}`), 'it is too complex')
  assert.equal(mistakeOf('@(@(@(@(@(a)))))'), 'it nests groups more than 4 deep')
  assert.equal(mistakeOf('*(!(a))'), 'it has a `!(…)` inside another group')
})

test('many patterns share one budget', () => {
  const budget = globBudget(1_000)
  const globs = ['*a', '*b'].map((pattern) => compileGlob(pattern, budget))
  assert.throws(
    () => globs.map((glob) => glob.matches('x'.repeat(600))),
    new GlobError('it takes too long to match against so many files'),
  )
})

test('reading a pattern counts as well, whether it can be used or not', () => {
  for (const pattern of ['{'.repeat(1000), `{${'a,'.repeat(99)}b}${'c'.repeat(300)}`, 'a'.repeat(1000)])
    assert.throws(
      () => compileGlob(pattern, globBudget(30_000)),
      new GlobError('it takes too long to match against so many files'),
    )
})
