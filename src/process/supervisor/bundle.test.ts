import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundleServer } from '../../../scripts/build-server.ts'
import { BUNDLE_ENTRY, stateOfCli, stateOfSources } from './bundle.ts'

test('the state of the sources is another one when a file was written anew, unless no server is made of it', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'aloft-state-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'src/core'), { recursive: true })
  await writeFile(join(root, 'src/core/a.ts'), 'export const a = 1')
  const first = stateOfSources(root)
  await writeFile(join(root, 'src/core/a.test.ts'), '')
  await mkdir(join(root, 'src/core/__pycache__'))
  await writeFile(join(root, 'src/core/__pycache__/a.cpython-311.pyc'), '')
  assert.equal(stateOfSources(root), first)
  await writeFile(join(root, 'src/core/a.ts'), 'export const a = 22')
  assert.notEqual(stateOfSources(root), first)
})

test('a bundle finds the files that its sources have beside them', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bundle-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await bundleServer(resolve(import.meta.dirname, '../..'), folder)
  const files = (await readdir(folder)).filter((name) => name.endsWith('.cjs'))
  assert.ok(files.includes(BUNDLE_ENTRY))
  const named: string[] = []
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8')
    for (const [, place = ''] of text.matchAll(/new URL\("([^"]+)", __bundle\)/g))
      named.push(fileURLToPath(new URL(place, pathToFileURL(join(folder, file)))))
  }
  assert.ok(named.length > 10)
  assert.deepEqual(
    named.filter((path) => !existsSync(path)),
    [],
  )
})

test('the state of the command line is another one when a file of it was written anew, unless it is of the server', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'aloft-state-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  for (const folder of ['src/cli', 'src/core']) await mkdir(join(root, folder), { recursive: true })
  await writeFile(join(root, 'src/cli/a.ts'), 'export const a = 1')
  const first = stateOfCli(root)
  await writeFile(join(root, 'src/core/a.ts'), '')
  assert.equal(stateOfCli(root), first)
  await writeFile(join(root, 'src/cli/a.ts'), 'export const a = 22')
  assert.notEqual(stateOfCli(root), first)
})
