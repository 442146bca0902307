import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readDockerIgnore, TooMuchToMatch } from './docker-ignore.ts'

const CASES: readonly (readonly [lines: string, ignored: string, kept: string])[] = [
  ['node_modules', 'node_modules node_modules/a/b', 'src/node_modules node_modules2'],
  ['/dist/\n./tmp', 'dist/a tmp/a', 'a/dist'],
  ['*.log', 'a.log', 'b/a.log a.logs'],
  ['**/*.log', 'a.log b/c/a.log', 'a.logs'],
  ['**.log', 'a.log b/c/a.log', 'a.logs'],
  ['a/**', 'a/b a/b/c', 'a b/a'],
  ['a/**/z', 'a/z a/b/c/z a/b/z/y', 'a/b z'],
  ['**', 'a a/b', ''],
  ['*\n!keep\n!deep/keep', 'a deep/a', 'keep keep/a deep/keep'],
  ['!keep\n*', 'keep', ''],
  ['a?c\n[b-d]x\n[^e]y', 'abc bx dx fy', 'ac abbc ax ey'],
  ['\\*\n*/skip', '* a/skip', 'b skip a/b/skip'],
  ['# a\n\n  b  \n', 'b', 'a #'],
  ['a/../b', 'b', 'a'],
  ['.', '', 'a'],
]

for (const [lines, ignored, kept] of CASES)
  it(`reads ${JSON.stringify(lines)}`, () => {
    const ignores = readDockerIgnore(lines)
    const names = (text: string) => text.split(' ').filter(Boolean)
    assert.deepEqual(names(`${ignored} ${kept}`).filter(ignores), names(ignored))
  })

it('does not take long over a pattern that means to', () => {
  const ignores = readDockerIgnore(`${'a*'.repeat(200)}b\n${'**/a/'.repeat(100)}b`)
  assert.equal(ignores('a'.repeat(1000)), false)
  assert.equal(ignores('a/'.repeat(500)), false)
})

it('gives up over many patterns and paths that mean to take long, and over no others', () => {
  const times = (count: number, line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join('\n')
  for (const hostile of [
    times(1000, (i) => `${'**/a/'.repeat(14)}${i}`),
    times(1000, (i) => `*${'a'.repeat(500)}${i}`),
  ]) {
    const ignores = readDockerIgnore(hostile)
    assert.throws(() => {
      for (let i = 0; i < 100; i++) {
        ignores(`${'a/'.repeat(500)}other-${i}`)
        ignores('a'.repeat(1000))
      }
    }, TooMuchToMatch)
  }
  const ignores = readDockerIgnore(times(100, (i) => `**/folder-${i}/*.log`))
  for (let i = 0; i < 1000; i++) assert.equal(ignores(`src/of/some/thing-${i}/file.log`), false)
})

it('compares as many files as a deployment may have with the patterns that `docker init` writes', () => {
  const names = [
    '.DS_Store',
    '__pycache__',
    '.git',
    '.vscode',
    '*.*proj.user',
    'docker-compose*',
    'node_modules',
  ]
  const lines = Array.from({ length: 28 }, (_, i) => `**/${names[i] ?? `.name-${i}`}`)
  const ignores = readDockerIgnore(lines.join('\n'))
  for (let i = 0; i < 100_000; i++)
    assert.equal(ignores(`packages/part-${i % 300}/src/features/thing-${i % 70}/page-${i}.tsx`), false)
})
