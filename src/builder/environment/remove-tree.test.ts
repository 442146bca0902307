import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeTree, treeBytes, treeFiles } from './remove-tree.ts'

test('what a folder holds is counted although nobody may look into it, and nothing else is changed', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'aloft-tree-'))
  t.after(() => removeTree(root))
  const [outer, inner, file] = [join(root, 'outer'), join(root, 'outer/inner'), join(root, 'read-only')]
  await mkdir(inner, { recursive: true })
  await writeFile(file, 'kept as it is', { mode: 0o444 })
  await writeFile(join(inner, 'large'), Buffer.alloc(2 ** 20, 1))
  const close = async () => {
    for (const folder of [inner, outer]) await chmod(folder, 0)
  }
  await close()
  assert.ok(((await treeBytes(root)) ?? 0) >= 2 ** 20)
  await chmod(outer, 0o700)
  await close()
  assert.equal(await treeFiles(root), 5)
  assert.equal((await stat(file)).mode & 0o777, 0o444)
})
