import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namedBy, workspacePatterns } from './workspace.ts'

const ofPnpm = (pnpm: string) => workspacePatterns({ pnpm, manifest: { workspaces: ['not/these'] } })
const ofManifest = (manifest: Record<string, unknown>) => workspacePatterns({ pnpm: undefined, manifest })

test('the packages of a workspace are listed in package.json, or in the file of pnpm, which counts first', () => {
  assert.deepEqual(ofManifest({ workspaces: ['apps/*', 'packages/*'] }), ['apps/*', 'packages/*'])
  assert.deepEqual(ofManifest({ workspaces: { packages: ['apps/**'], nohoist: ['x'] } }), ['apps/**'])
  for (const workspaces of [undefined, null, 'apps/*', 7, {}, { packages: 'apps/*' }])
    assert.deepEqual(ofManifest({ workspaces }), [])
  assert.deepEqual(ofManifest({ workspaces: ['apps/*', 7, null] }), ['apps/*'])
  assert.deepEqual(workspacePatterns({ pnpm: undefined, manifest: undefined }), [])
})

test('the file of pnpm is read in each way in which a list can be written, and nothing but that list', () => {
  for (const text of [
    'packages:\n  - \'apps/*\'\n  - "!apps/old"\n  - tools\n',
    "# all\r\npackages:\r\n- 'apps/*' # ours\r\n# - none\r\n- '!apps/old'\r\n\r\n-   tools   \r\ncatalog:\r\n  - x\r\n",
    'onlyBuiltDependencies:\n  - esbuild\npackages: [apps/*, "!apps/old", \'tools\'] # all\n',
    'packages: [\n  apps/*, # ours\n  "!apps/old",\n  tools\n]\nonlyBuiltDependencies:\n  - esbuild\n',
  ])
    assert.deepEqual(ofPnpm(text), ['apps/*', '!apps/old', 'tools'], text)
  assert.deepEqual(ofPnpm('onlyBuiltDependencies:\n  - apps/*\n'), [])
  assert.deepEqual(ofPnpm(''), [])
})

test('a folder is named by a pattern, unless another takes it away', () => {
  const patterns = ['./apps/*/', 'packages/**', '!packages/old']
  for (const folder of ['apps/web', 'packages/a', 'packages/a/b'])
    assert.equal(namedBy(patterns)(folder), true)
  for (const folder of ['apps', 'apps/web/x', 'packages/old', 'tools'])
    assert.equal(namedBy(patterns)(folder), false)
  assert.equal(namedBy(['{'.repeat(500)])('apps/web'), false)
})

test('of patterns that fill a file as many are looked at as take little time', () => {
  const many = Array.from({ length: 2000 }, (_, i) => `{${','.repeat(40)}}${'*a?'.repeat(8)}${i}`)
  assert.equal(namedBy(['packages/*', ...many])('packages/a'), true)
  assert.equal(namedBy([...many, 'packages/*'])('packages/a'), false)
})

test('a pattern that is none leaves the others what they need for all folders of a large repository', () => {
  const named = namedBy([`packages/*(!(${'a'.repeat(60)}))`, 'packages/*'])
  for (let i = 0; i < 10_000; i++) named(`fixtures/${i}`)
  assert.equal(named('packages/a'), true)
})

test('a file that keeps an expression guessing is read like any other', () => {
  const long = (text: string) => text.repeat(200_000)
  for (const [pnpm, patterns] of [
    [`packages:\n-${long(' ')}"x"y\n- a`, ['a']],
    [`packages: [a\n${long(' #')}\u2028\n]`, ['a']],
    [`packages:\n- a${long('/')}b`, [`a${long('/')}b`]],
  ] as const) {
    const found = workspacePatterns({ pnpm, manifest: undefined })
    assert.deepEqual(found, patterns)
    assert.equal(namedBy(found)('b'), false)
  }
})
