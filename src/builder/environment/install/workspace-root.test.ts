import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workspaceRoot } from './workspace-root.ts'

const rootOf = (folder: string, files: Readonly<Record<string, object | string>>) =>
  workspaceRoot(folder, {
    packages: new Map(
      Object.entries(files).flatMap(([path, content]) =>
        typeof content === 'object' ? [[path.replace(/\/?package\.json$/, ''), content as never]] : [],
      ),
    ),
    paths: new Set(Object.keys(files)),
    read: async (path) => String(files[path]),
  })

test('a package is installed from the nearest folder above that names it as a workspace', async () => {
  const npm = { 'package.json': { workspaces: ['packages/*', './apps/*/'] }, 'apps/web/package.json': {} }
  assert.equal(await rootOf('apps/web', npm), '')
  assert.equal(await rootOf('tools/x', npm), undefined)
  assert.equal(await rootOf('', npm), undefined)
  const yarn = { 'js/package.json': { workspaces: { packages: ['apps/**', '!apps/old'] } } }
  assert.equal(await rootOf('js/apps/shop/web', yarn), 'js')
  assert.equal(await rootOf('js/apps/old', yarn), undefined)
})

test('the file of pnpm counts before package.json', async () => {
  const pnpm = "# all\npackages:\n  - 'apps/*' # ours\n  - \"!apps/old\"\nother:\n  - 'tools/*'\n"
  const files = { 'pnpm-workspace.yaml': pnpm, 'package.json': { workspaces: ['tools/*'] } }
  assert.equal(await rootOf('apps/web', files), '')
  assert.equal(await rootOf('apps/old', files), undefined)
  assert.equal(await rootOf('tools/x', files), undefined)
})

test('a pattern that cannot be used names nothing', async () => {
  assert.equal(await rootOf('apps/web', { 'package.json': { workspaces: ['{'.repeat(500)] } }), undefined)
})
