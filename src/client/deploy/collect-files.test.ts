import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { collectFiles, isLeftOut } from './collect-files.ts'
import { DeployError } from './deploy-error.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-collect-'))
  folders.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const pathsOf = async (folder: string) => (await collectFiles(folder)).map(({ path }) => path)

const refuses = async (folder: string, code: string, message: RegExp) =>
  assert.rejects(collectFiles(folder), (error) => {
    assert.ok(error instanceof DeployError)
    assert.equal(error.code, code)
    assert.match(error.message, message)
    return true
  })

test('ignore files of every folder are heeded, and those of ours come last', async () => {
  const folder = folderOf({
    '.gitignore': 'dist/\n*.log\n!keep.log\n/only-here\n',
    '.aloftignore': '!dist/\ndrafts\n',
    'index.html': '',
    'a.log': '',
    'keep.log': '',
    'only-here': '',
    'dist/app.js': '',
    'drafts/one.md': '',
    'sub/only-here': '',
    'sub/.gitignore': '*.txt\n',
    'sub/a.txt': '',
    'sub/a.log': '',
    'b.txt': '',
  })
  assert.deepEqual(await pathsOf(folder), ['b.txt', 'dist/app.js', 'index.html', 'keep.log', 'sub/only-here'])
})

test('what never belongs to a site is left out, and local variables are unless they are wanted', async () => {
  const files = {
    '.git/config': '',
    'sub/.git': '',
    'node_modules/x/index.js': '',
    'sub/node_modules/y.js': '',
    '.aloft/project.json': '',
    '.env.local': '',
    '.env.production.local': '',
    'index.html': '',
  }
  assert.deepEqual(await pathsOf(folderOf(files)), ['index.html'])
  const wanted = folderOf({ ...files, '.aloftignore': '!.git\n!node_modules\n!.env.local\n' })
  assert.deepEqual(await pathsOf(wanted), ['.env.local', 'index.html'])
})

test('size and rights are those of the file', async () => {
  const folder = folderOf({ run: '#!/bin/sh\n' })
  chmodSync(join(folder, 'run'), 0o755)
  assert.deepEqual(
    (await collectFiles(folder)).map(({ size, mode }) => [size, mode]),
    [[10, 0o100755]],
  )
})

test('links within the folder are followed', async () => {
  const folder = folderOf({ 'a/one.txt': '1', 'b/two.txt': '2' })
  symlinkSync('a/one.txt', join(folder, 'one'))
  symlinkSync('../a', join(folder, 'b', 'again'))
  const found = await collectFiles(folder)
  assert.deepEqual(
    found.map(({ path, size }) => [path, size]),
    [
      ['a/one.txt', 1],
      ['b/again/one.txt', 1],
      ['b/two.txt', 1],
      ['one', 1],
    ],
  )
})

test('links that leave the folder, lead nowhere, go in circles or to what is private are refused', async () => {
  const secret = folderOf({ key: 'secret' })
  const linked = (target: string, files: Readonly<Record<string, string>> = { 'index.html': '' }) => {
    const folder = folderOf(files)
    symlinkSync(target, join(folder, 'link'))
    return folder
  }
  await refuses(linked(join(secret, 'key')), 'outside', /^link is a link that points outside/)
  await refuses(linked(secret), 'outside', /^link is a link that points outside/)
  await refuses(linked('..'), 'outside', /points outside/)
  await refuses(linked('nothing'), 'broken_link', /^link is a link to something/)
  await refuses(linked('.'), 'outside', /one of its parent folders/)
  await refuses(linked('.git/config', { '.git/config': 'token' }), 'outside', /never deployed/)
  // One that is left out does no harm.
  assert.deepEqual(await pathsOf(linked(secret, { '.aloftignore': 'link', a: '' })), ['a'])
})

test('a folder that is none, or has nothing to deploy, is told', async () => {
  await refuses('/nowhere/at/all', 'no_folder', /does not exist/)
  await refuses(join(folderOf({ file: '' }), 'file'), 'no_folder', /is not a folder/)
  await refuses(folderOf({ '.git/config': '' }), 'no_files', /contains no files/)
  await refuses(folderOf({ 'a\nb': '' }), 'bad_name', /"a\\nb"/)
})

test('it is told whether the ignore files name a path', async () => {
  assert.ok(await isLeftOut(folderOf({ '.gitignore': '.aloft/\n' }), '.aloft/project.json'))
  assert.ok(!(await isLeftOut(folderOf({ '.gitignore': 'x\n' }), '.aloft/project.json')))
})
