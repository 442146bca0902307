import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { it, type TestContext } from 'node:test'
import { type Header, pack } from 'tar-stream'
import { unpack } from './unpack.ts'

type Entry = Partial<Header> & { readonly name: string; readonly content?: string }

async function unpacked(t: TestContext, entries: readonly Entry[], limits = { bytes: 1000, entries: 10 }) {
  const outside = await mkdtemp(join(tmpdir(), 'aloft-unpack-'))
  t.after(() => rm(outside, { recursive: true, force: true }))
  const folder = await mkdtemp(join(outside, 'in-'))
  const archive = pack()
  for (const { content = '', ...header } of entries)
    archive.entry(header as Header, header.type === undefined || header.type === 'file' ? content : '')
  archive.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of archive) chunks.push(chunk as Uint8Array)
  const made = unpack(Readable.from(chunks), folder, limits)
  const refused = made.then(
    () => undefined,
    (error: Error) => error,
  )
  const error = await refused
  assert.deepEqual(await readdir(outside), [folder.slice(outside.length + 1)])
  return { folder, error }
}

it('makes files, folders and links that everybody can read and nobody can write', async (t) => {
  const { folder, error } = await unpacked(t, [
    { name: './a/b/file', content: 'content', mode: 0o666 },
    { name: 'run', content: '#!', mode: 0o700 },
    { name: 'empty', type: 'directory' },
    { name: 'a/link', type: 'symlink', linkname: '../run' },
  ])
  assert.equal(error, undefined)
  assert.equal(await readFile(join(folder, 'a/b/file'), 'utf8'), 'content')
  assert.equal((await stat(join(folder, 'a/b/file'))).mode & 0o777, 0o444)
  assert.equal((await stat(join(folder, 'run'))).mode & 0o777, 0o555)
  assert.equal((await stat(join(folder, 'a'))).mode & 0o777, 0o755)
  assert.equal(await readlink(join(folder, 'a/link')), '../run')
  assert.deepEqual((await readdir(folder)).sort(), ['a', 'empty', 'run'])
})

const HOSTILE: Readonly<Record<string, readonly Entry[]>> = {
  'a path that leaves the folder': [{ name: '../x', content: 'x' }],
  'an absolute path': [{ name: '/etc/x', content: 'x' }],
  'a path that leaves it on the way': [{ name: 'a/../../x', content: 'x' }],
  'a link that leaves it': [{ name: 'a', type: 'symlink', linkname: '../..' }],
  'an absolute link': [{ name: 'a', type: 'symlink', linkname: '/etc' }],
  'a file behind a link': [
    { name: 'a', type: 'symlink', linkname: 'b' },
    { name: 'a/x', content: 'x' },
  ],
  'a link in place of a file': [
    { name: 'a', content: 'x' },
    { name: 'a', type: 'symlink', linkname: 'b' },
  ],
  'a hard link': [{ name: 'a', type: 'link', linkname: '/etc/passwd' }],
  'a device': [{ name: 'a', type: 'character-device' }],
  'a pipe': [{ name: 'a', type: 'fifo' }],
  'too much content': [{ name: 'a', content: 'x'.repeat(1001) }],
  'too many entries': Array.from({ length: 11 }, (_, i) => ({ name: `f${i}` })),
  'too many folders': [{ name: 'a/b/c/d/e/f/g/h/i/j/k' }],
}

for (const [what, entries] of Object.entries(HOSTILE))
  it(`refuses ${what}`, async (t) => {
    const { error } = await unpacked(t, entries)
    assert.equal(error?.name, 'BadArchive')
  })

it('fails on an archive that is cut off', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-unpack-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const cut = Readable.from([Buffer.alloc(300, 'a')])
  await assert.rejects(unpack(cut, folder, { bytes: 1000, entries: 10 }))
})

it('fails when one of many files cannot be written', async (t) => {
  const { error } = await unpacked(t, [
    { name: 'before', content: 'x' },
    { name: 'n'.repeat(300), content: 'longer than names of files can be' },
    { name: 'after', content: 'x' },
  ])
  assert.equal((error as NodeJS.ErrnoException | undefined)?.code, 'ENAMETOOLONG')
})
