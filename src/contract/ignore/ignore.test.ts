import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIgnored, readIgnoreFile } from './ignore.ts'

/** A path that ends with a slash is a folder. */
const ignored = (file: string, path: string, base: string[] = []): boolean =>
  isIgnored(readIgnoreFile(file, base), path.replace(/\/$/, '').split('/'), path.endsWith('/'))

const CASES: readonly [pattern: string, leavesOut: readonly string[], keeps: readonly string[]][] = [
  ['a', ['a', 'x/a', 'a/'], ['ab', 'x/ab']],
  ['/a', ['a', 'a/'], ['x/a']],
  ['x/a', ['x/a'], ['y/x/a', 'a']],
  ['a/', ['a/', 'x/a/'], ['a', 'x/a']],
  ['*.log', ['b.log', 'x/b.log', '.log'], ['b.log2', 'log']],
  ['x/*.log', ['x/b.log'], ['x/y/b.log', 'b.log']],
  ['**/a', ['a', 'x/a', 'x/y/a'], ['x/ab']],
  ['a/**', ['a/b', 'a/b/c', 'a/b/'], ['a', 'a/', 'x/a/b']],
  ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['a', 'z', 'a/zz']],
  ['a**z', ['az', 'abcz'], ['a/z']],
  ['?.txt', ['a.txt', 'é.txt', '🦊.txt'], ['ab.txt', '.txt']],
  ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
  ['[!a-c]x', ['dx'], ['ax', 'x']],
  ['[]x]', [']', 'x'], ['a']],
  ['[ab', ['[ab'], ['a']],
  ['\\#a', ['#a'], ['a']],
  ['\\!a', ['!a'], ['a']],
  ['a\\*', ['a*'], ['ab']],
  ['a  ', ['a'], ['a  ']],
  ['a\\ ', ['a '], ['a']],
  ['# a', [], ['# a', 'a']],
  ['/', [], ['a', 'a/']],
  ['*', ['a', 'x/a', '.a'], []],
]

test('patterns match as those of git do', () => {
  for (const [pattern, leavesOut, keeps] of CASES) {
    for (const path of leavesOut) assert.ok(ignored(pattern, path), `${pattern} leaves out ${path}`)
    for (const path of keeps) assert.ok(!ignored(pattern, path), `${pattern} keeps ${path}`)
  }
})

test('the last rule that matches decides', () => {
  assert.ok(!ignored('*.env\n!keep.env\n', 'keep.env'))
  assert.ok(ignored('!keep.env\r\n*.env\r\n', 'keep.env'))
})

test('the rules of a folder count below it', () => {
  assert.ok(ignored('/b', 'a/b', ['a']))
  assert.ok(ignored('b', 'a/x/b', ['a']))
  assert.ok(!ignored('b', 'c/b', ['a']))
  assert.ok(!ignored('/b', 'b', ['a']))
})

test('a pattern that is made to be slow is not', () => {
  assert.ok(!ignored(`${'*a'.repeat(200)}b`, 'a'.repeat(5000)))
  assert.ok(!ignored(`${'**/a/'.repeat(100)}b`, Array(1000).fill('a').join('/')))
})
