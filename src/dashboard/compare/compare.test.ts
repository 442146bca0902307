import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Project } from '../project/project.ts'
import { compareFiles, compareSettings, type Deployment } from './compare.ts'
import { diffLines, foldSame } from './line-diff.ts'
import { isBack } from './promoted.ts'

const file = (name: string, uid: string, mode = 0o100644) => ({ name, type: 'file', uid, mode })
const folder = (name: string, ...children: ReturnType<typeof file>[]) => ({
  name,
  type: 'directory',
  mode: 0o040755,
  children,
})

test('files are compared by their paths and what they hold', () => {
  const before = [file('a', '1'), file('b', '2'), folder('sub', file('c', '3'), file('run', '4'))]
  const after = [file('a', '1'), folder('sub', file('c', '5'), file('run', '4', 0o100755)), file('d', '2')]
  assert.deepEqual(compareFiles(before, after), [
    { path: 'b', change: 'removed', from: '2' },
    { path: 'd', change: 'added', to: '2' },
    { path: 'sub/c', change: 'changed', from: '3', to: '5' },
    { path: 'sub/run', change: 'changed', from: '4', to: '4' },
  ])
  assert.deepEqual(compareFiles(before, before), [])
})

test('settings are compared by what is known of them', () => {
  const one = { env: ['A'], build: { env: [] }, builds: [], routes: null, regions: [], public: false }
  const before = { ...one, meta: { gitBranch: 'main' } } as unknown as Deployment
  const after = { ...before, env: ['B', 'A'], target: 'production', meta: {} } as unknown as Deployment
  assert.deepEqual(compareSettings(before, after), [
    { name: 'Target', from: 'Preview', to: 'Production' },
    { name: 'Runtime variables', from: 'A', to: 'A, B' },
    { name: 'gitBranch', from: 'main', to: '–' },
  ])
  const staged = { ...before, customEnvironment: { id: 'env_1', slug: 'staging' } } as unknown as Deployment
  assert.deepEqual(compareSettings(before, staged), [{ name: 'Target', from: 'Preview', to: 'staging' }])
})

test('a difference of lines leads from the one text to the other, without a detour', () => {
  const line = fc.constantFrom('a', 'b', 'c', '')
  const text = fc.array(line, { maxLength: 12 })
  fc.assert(
    fc.property(text, text, (a, b) => {
      const join = (lines: readonly string[]) => lines.map((each) => `${each}\n`).join('')
      const lines = diffLines(join(a), join(b))
      const of = (...kinds: readonly string[]) =>
        lines.filter(({ kind }) => kinds.includes(kind)).map((each) => each.text)
      assert.deepEqual(of('same', 'removed'), a)
      assert.deepEqual(of('same', 'added'), b)
      assert.equal(of('same').length, longestCommon(a, b))
      const shown = foldSame(lines).map((part) => ('lines' in part ? part.lines.length : part.hidden))
      assert.equal(
        shown.reduce((sum, count) => sum + count, 0),
        lines.length,
      )
    }),
  )
})

test('texts that have little in common are told apart without end', () => {
  const many = (word: string) => Array.from({ length: 3000 }, (_, at) => `${word} ${at}`).join('\n')
  const lines = diffLines(`x\n${many('a')}\nz`, `x\n${many('b')}\nz`)
  assert.equal(lines.length, 6002)
  assert.deepEqual(
    foldSame(lines).map((part) => 'lines' in part),
    [true],
  )
})

/** By the textbook, for short lists. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = [new Array<number>(b.length + 1).fill(0)]
  for (const [i, left] of a.entries()) {
    const row = [0]
    for (const [j, right] of b.entries())
      row.push(left === right ? (table[i]?.[j] ?? 0) + 1 : Math.max(row[j] ?? 0, table[i]?.[j + 1] ?? 0))
    table.push(row)
  }
  return table.at(-1)?.at(-1) ?? 0
}

test('only what production showed before is rolled back to', () => {
  const live = { targets: { production: { liveAt: 10 } } } as unknown as Pick<Project, 'targets'>
  assert.equal(isBack(live, { liveAt: 5 }), true)
  assert.equal(isBack(live, { liveAt: 15 }), false, 'what a rollback left')
  assert.equal(isBack(live, {}), false, 'an old preview, or one that was held back')
  assert.equal(isBack({ targets: {} } as typeof live, { liveAt: 5 }), false)
})
