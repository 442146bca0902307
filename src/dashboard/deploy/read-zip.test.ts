import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zipSync } from 'fflate'
import { readZip } from './read-zip.ts'
import { nameFrom, SelectionError, select, withoutTopFolder } from './selection.ts'

const text = (value: string) => new TextEncoder().encode(value)
const zipOf = (files: Readonly<Record<string, string>>) =>
  new Blob([
    zipSync(Object.fromEntries(Object.entries(files).map(([path, value]) => [path, text(value)]))) as never,
  ])

test('the files of a zip are read, without the folder around them and what no site needs', async () => {
  const zip = zipOf({
    'site/index.html': 'a',
    'site/sub/b.txt': 'bb',
    'site/.git/config': 'x',
    'site/node_modules/c/index.js': 'x',
    '__MACOSX/site/._index.html': 'x',
  })
  const { top, files } = withoutTopFolder(await readZip(zip))
  assert.equal(top, 'site')
  const chosen = await select(top, files)
  assert.deepEqual(
    chosen.files.map(({ path, size }) => [path, size]),
    [
      ['index.html', 1],
      ['sub/b.txt', 2],
    ],
  )
  assert.deepEqual(await chosen.files[1]?.bytes(), text('bb'))
})

test('a zip that leads out of itself, is damaged or endless is refused', async () => {
  const isRefused = (error: unknown) => error instanceof SelectionError
  await assert.rejects(readZip(zipOf({ 'a/../../b': 'x' })), isRefused)
  await assert.rejects(readZip(new Blob(['no zip'])), isRefused)
  await assert.rejects(readZip({ size: 600_000_000, arrayBuffer: async () => new ArrayBuffer(0) }), isRefused)

  // It says of itself that it holds a gigabyte.
  const bomb = Buffer.from(await zipOf({ a: 'x' }).arrayBuffer())
  bomb.writeUInt32LE(1_000_000_000, bomb.indexOf('PK\x01\x02', 'latin1') + 24)
  await assert.rejects(readZip(new Blob([bomb])), /500 MB/)

  // It says of itself that it holds less than it does, and another content.
  for (const [field, value] of [
    [24, 10],
    [16, 7],
  ] as const) {
    const lying = Buffer.from(await zipOf({ 'ä.txt': 'x'.repeat(100_000) }).arrayBuffer())
    lying.writeUInt32LE(value, lying.indexOf('PK\x01\x02', 'latin1') + field)
    await assert.rejects(readZip(new Blob([lying])), /damaged/)
  }
  assert.equal((await readZip(zipOf({ 'ä.txt': 'x'.repeat(100_000) })))[0]?.size, 100_000)

  // Entries that share their bytes: each of them says that all of the zip is its own.
  const shared = Buffer.from(await zipOf({ a: 'x', b: 'y' }).arrayBuffer())
  for (
    let at = shared.indexOf('PK\x01\x02', 'latin1');
    at !== -1;
    at = shared.indexOf('PK\x01\x02', at + 4, 'latin1')
  )
    shared.writeUInt32LE(shared.length - 10, at + 20)
  await assert.rejects(readZip(new Blob([shared])), isRefused)
})

test('a name for a project is made of any text', () => {
  assert.equal(nameFrom('Mein Café 2.0'), 'mein-cafe-2-0')
  assert.equal(nameFrom('--x'), 'x')
  assert.equal(nameFrom('日本'), '')
  assert.equal(nameFrom('a'.repeat(80)).length, 52)
})
