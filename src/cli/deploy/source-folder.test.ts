import assert from 'node:assert/strict'
import { lchownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readSiteFolder } from './site-folder.ts'
import { chooseSource, findWorkspace, isInRepository } from './source-folder.ts'

/** A home folder with these files, of which nothing above it is looked at. */
function openHome(t: TestContext, files: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(tmpdir(), 'aloft-source-'))
  t.after(() => rmSync(home, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const siteOf = (path: string) => readSiteFolder(home, path, home)
  return {
    at: (path: string) => join(home, path),
    workspaceOf: (path: string) => findWorkspace(siteOf(path), home),
    sourceOf: (path: string, rootDirectory?: string | null) =>
      chooseSource(
        siteOf(path),
        findWorkspace(siteOf(path), home),
        rootDirectory === undefined ? undefined : { rootDirectory },
        home,
      ),
  }
}

const APPS = { 'mono/apps/web/package.json': '{}', 'mono/apps/web/dist/index.html': '' }

test('a package is found in the workspace that names it', (t) => {
  for (const list of [
    { 'mono/package.json': '{"workspaces":["apps/*"]}' },
    { 'mono/pnpm-workspace.yaml': 'packages:\n  - apps/*\n', 'mono/package.json': '{' },
  ]) {
    const { at, workspaceOf } = openHome(t, { ...APPS, ...list, 'mono/tools/x/package.json': '{}' })
    assert.equal(workspaceOf('mono/apps/web'), at('mono'))
    assert.equal(workspaceOf('mono/tools/x'), undefined, 'it is none of those that are named')
    assert.equal(workspaceOf('mono'), undefined)
    assert.equal(workspaceOf('mono/apps'), undefined, 'it is no package')
    assert.equal(workspaceOf('mono/apps/web/dist'), undefined, 'what was built needs nothing beside it')
  }
})

test('a list in the home folder, or above it, is not meant', (t) => {
  const { workspaceOf } = openHome(t, { 'package.json': '{"workspaces":["**"]}', 'web/package.json': '{}' })
  assert.equal(workspaceOf('web'), undefined)
})

test('a new project gets all of the workspace, and its folder as the root directory', (t) => {
  const { at, sourceOf } = openHome(t, { ...APPS, 'mono/package.json': '{"workspaces":["apps/*"]}' })
  assert.deepEqual(sourceOf('mono/apps/web'), { folder: at('mono'), rootDirectory: 'apps/web' })
  assert.deepEqual(sourceOf('mono'), { folder: at('mono') })
})

test('a project that is there already gets what its root directory is in', (t) => {
  const { at, sourceOf } = openHome(t, { ...APPS, 'mono/package.json': '{"workspaces":["apps/*"]}' })
  // Without one, it was always the folder alone.
  assert.deepEqual(sourceOf('mono/apps/web', null), { folder: at('mono/apps/web') })
  for (const rootDirectory of ['apps/web', './apps/web/']) {
    assert.deepEqual(sourceOf('mono/apps/web', rootDirectory), { folder: at('mono') })
    assert.deepEqual(sourceOf('mono', rootDirectory), { folder: at('mono') })
  }
  assert.deepEqual(sourceOf('mono/apps/web', 'dist'), { folder: at('mono/apps/web') })
  assert.deepEqual(sourceOf('mono/apps/web', 'apps/docs'), { folder: at('mono/apps/web') })
})

test('without a workspace, a repository is what its root directory is in, and no other folder', (t) => {
  const { at, sourceOf } = openHome(t, {
    'mono/.git/HEAD': '',
    'mono/web/x': '',
    'web/x': '',
    '.git/HEAD': '',
  })
  assert.deepEqual(sourceOf('mono/web', 'web'), { folder: at('mono') })
  assert.deepEqual(sourceOf('mono/web', 'mono/web'), { folder: at('mono/web') })
  assert.deepEqual(sourceOf('web', 'web'), { folder: at('web') }, 'the home folder is no repository of sites')
})

test('a folder that does not exist is in no repository, so that it is told of that', (t) => {
  const { at } = openHome(t, { 'mono/.git/HEAD': '', 'mono/web/x': '' })
  const isIn = (path: string) => isInRepository(readSiteFolder(at(''), path, at('')), at(''))
  assert.deepEqual([isIn('mono/web'), isIn('mono/wbe')], [true, false])
})

test('the same name inside a folder is that of its root directory', (t) => {
  const { at, sourceOf } = openHome(t, { 'web/web/index.html': '' })
  assert.deepEqual(sourceOf('web', 'web'), { folder: at('web') })
})

const isRoot = process.getuid?.() === 0

test('what another user of the machine put above a folder says nothing of it', { skip: !isRoot }, (t) => {
  const stranger = 54_321
  const lists = { 'mono/package.json': '{"workspaces":["apps/*"]}', 'mono/.git/HEAD': '' }
  const { at, workspaceOf, sourceOf } = openHome(t, { ...APPS, ...lists })
  assert.equal(sourceOf('mono/apps/web', 'apps/web').folder, at('mono'))
  for (const name of ['mono/package.json', 'mono/.git']) lchownSync(at(name), stranger, stranger)
  assert.equal(workspaceOf('mono/apps/web'), undefined)
  assert.equal(sourceOf('mono/apps/web', 'apps/web').folder, at('mono/apps/web'))
  lchownSync(at('mono/apps/web'), stranger, stranger)
  assert.equal(workspaceOf('mono/apps/web'), at('mono'), 'all of it belongs to somebody else')
})
