import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { packTree, unpackTree } from './pack-tree.ts'

async function packed(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'aloft-pack-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'from/a'), { recursive: true })
  await writeFile(join(root, 'from/a/text'), 'here')
  return { root, archive: await buffer(packTree(join(root, 'from'), 1e6)) }
}

test('a folder is unpacked however soon the program ends that does it', async (t) => {
  const { root, archive } = await packed(t)
  const unpack = async (n: number) => {
    const to = join(root, `${n}`)
    await mkdir(to)
    await unpackTree(Readable.from([archive]), to, 1e6)
    assert.equal(await readFile(join(to, 'a/text'), 'utf8'), 'here')
  }
  // Alone, it mostly ends a moment after the last of the archive was written.
  for (let n = 0; n < 60; n += 6) await Promise.all([0, 1, 2, 3, 4, 5].map((k) => unpack(n + k)))
})

test('an archive that is cut short, or too large, is refused', async (t) => {
  const { root, archive } = await packed(t)
  const to = join(root, 'to')
  await mkdir(to)
  const short = Readable.from([archive.subarray(0, archive.length / 2)])
  await assert.rejects(unpackTree(short, to, 1e6), /unexpected end of file/i)
  await assert.rejects(unpackTree(Readable.from([archive]), to, 100), /too large/)
})

test('an archive whose connection breaks off between two files is refused', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'aloft-pack-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'from'))
  await Promise.all(Array.from({ length: 1000 }, (_, n) => writeFile(join(root, 'from', `${n}`), '')))
  const archive = await buffer(packTree(join(root, 'from'), 1e7))
  for (const error of [Object.assign(new Error('aborted'), { code: 'ECONNRESET' }), undefined]) {
    const to = await mkdtemp(join(root, 'to-'))
    const stream = new Readable({ read() {} })
    stream.push(archive.subarray(0, archive.length / 2))
    const unpacked = unpackTree(stream, to, 1e7)
    while ((await readdir(to)).length === 0) await setImmediate()
    stream.destroy(error)
    await assert.rejects(unpacked, error ?? /premature/i)
  }
})
