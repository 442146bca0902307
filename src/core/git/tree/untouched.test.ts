import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUntouched } from './untouched.ts'

const repository = (files: Record<string, string>) => ({
  paths: Object.keys(files),
  text: async (path: string) => files[path],
})

const PACKAGES = {
  'apps/web/package.json': JSON.stringify({ name: 'web', dependencies: { ui: 'workspace:*' } }),
  'packages/ui/package.json': JSON.stringify({ name: 'ui', devDependencies: { tokens: '*' } }),
  'packages/tokens/package.json': JSON.stringify({ name: 'tokens' }),
  'packages/mail/package.json': JSON.stringify({ name: 'mail' }),
}
const NPM = repository({ ...PACKAGES, 'package.json': '{"workspaces":["apps/*","packages/*"]}' })
const PNPM = repository({
  ...PACKAGES,
  'tools/lint/package.json': '{}',
  'pnpm-workspace.yaml':
    'packages:\n  - "apps/*"\n  - packages/* # all\nonlyBuiltDependencies:\n  - tools/*\n',
})
const NONE = repository(PACKAGES)

const web = { rootDirectory: 'apps/web', sourceFilesOutsideRootDirectory: true }
const untouched = (path: string, where = NPM, settings: object = {}) =>
  isUntouched([path], { ...web, ...settings } as never, where)

test('a project of a workspace is touched by its folder, by what it depends on, and by what lies at the top', async () => {
  for (const where of [NPM, PNPM]) {
    for (const path of [
      'apps/web/index.html',
      'packages/ui/button.ts',
      'packages/tokens/colours.ts',
      'package-lock.json',
      'pnpm-lock.yaml',
      'turbo.json',
    ])
      assert.equal(await untouched(path, where), false, path)
    for (const path of ['packages/mail/index.ts', 'apps/other/index.html', 'docs/readme.md'])
      assert.equal(await untouched(path, where), true, path)
  }
})

test('without a workspace everything may be read, unless the project says that nothing outside its folder is', async () => {
  assert.equal(await untouched('docs/readme.md', NONE), false)
  const alone = { sourceFilesOutsideRootDirectory: false }
  assert.equal(await untouched('docs/readme.md', NONE, alone), true)
  assert.equal(await untouched('package-lock.json', NPM, alone), true)
  assert.equal(await untouched('apps/web/index.html', NONE, alone), false)
  assert.equal(await untouched('docs/readme.md', NONE, { rootDirectory: null }), false)
  // Another list in the file of pnpm names no packages.
  assert.equal(await untouched('docs/readme.md', PNPM, { rootDirectory: 'tools/lint' }), false)
})

test('patterns of a workspace are read once, for as many packages as there are', async () => {
  const workspaces = Array.from({ length: 500 }, (_, i) => `{${','.repeat(40)}}${'*a?'.repeat(8)}${i}`)
  const folders = Array.from({ length: 3000 }, (_, i) => `packages/${i}`)
  const many = {
    paths: folders.map((folder) => `${folder}/package.json`),
    text: async (path: string) => (path === 'package.json' ? JSON.stringify({ workspaces }) : '{}'),
  }
  assert.equal(await untouched('packages/2/index.js', many, { rootDirectory: 'packages/1' }), false)
})

test('where it takes too long to tell which packages there are, everything may be read', async () => {
  const workspaces = ['packages/*', ...Array.from({ length: 500 }, (_, i) => `${'*a?'.repeat(300)}${i}`)]
  const folders = ['packages/1', ...Array.from({ length: 100 }, (_, i) => `fixtures/${i}`), 'packages/2']
  const manifests: Record<string, object> = {
    'package.json': { workspaces },
    'packages/1/package.json': { dependencies: { two: '*' } },
    'packages/2/package.json': { name: 'two' },
  }
  const many = {
    paths: folders.map((folder) => `${folder}/package.json`),
    text: async (path: string) => manifests[path] && JSON.stringify(manifests[path]),
  }
  assert.equal(await untouched('packages/2/index.js', many, { rootDirectory: 'packages/1' }), false)
})
