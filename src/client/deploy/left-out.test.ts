import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { collectFiles } from './collect-files.ts'
import { DeployError } from './deploy-error.ts'
import { chooseFiles } from './left-out.ts'

const folder = mkdtempSync(join(tmpdir(), 'aloft-choose-'))
after(() => rmSync(folder, { recursive: true }))

const FILES: Readonly<Record<string, string>> = {
  'index.html': 'a',
  '.gitignore': '*.log\n/dist\n!keep.log\n',
  '.aloftignore': 'secret.txt\n!/dist\n!keep.log\n',
  '.vercelignore': '/private\nkeep.log\n',
  '.nowignore': 'index.html\n',
  'private/a.txt': 'a',
  'older/.nowignore': 'a.txt\n',
  'older/a.txt': 'a',
  'older/b.txt': 'a',
  'keep.log': 'a',
  'other.log': 'a',
  'secret.txt': 'a',
  'dist/app.js': 'a',
  'dist/node_modules/x/index.js': 'a',
  '.git/config': 'a',
  'sub/.gitignore': 'deep/\n!other.log\n',
  'sub/other.log': 'a',
  'sub/deep/a': 'a',
  'sub/deep/.gitignore': '!a\n',
  'sub-b/deep/a': 'a',
  '.env.local': 'a',
  '.well-known/x': 'a',
  'node_modules/.gitignore': '!index.html\n',
}

test('of a list of files the same are chosen as of a folder', async () => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const list = Object.entries(FILES).map(([path, text]) => ({
    path,
    size: text.length,
    bytes: () => new TextEncoder().encode(text),
  }))
  const chosen = (await chooseFiles(list)).map(({ path }) => path)
  const found = (await collectFiles(folder)).map(({ path }) => path)
  assert.deepEqual(chosen, found.toSorted())
  assert.deepEqual(chosen, [
    '.well-known/x',
    'dist/app.js',
    'index.html',
    'keep.log',
    'older/b.txt',
    'sub-b/deep/a',
    'sub/other.log',
  ])
})

test('a name that no address can have is told', async () => {
  const bytes = () => new Uint8Array()
  await assert.rejects(
    chooseFiles([{ path: 'a\nb', size: 0, bytes }]),
    (error) => error instanceof DeployError && error.code === 'bad_name',
  )
})
