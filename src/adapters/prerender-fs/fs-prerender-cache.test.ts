import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  appendFile,
  type FileHandle,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import type { PrerenderEntry, PrerenderKey } from '#core/ports/prerender-cache.ts'
import { clockOf } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createFsPrerenderCache } from './fs-prerender-cache.ts'

const root = await mkdtemp(join(tmpdir(), 'aloft-prerender-'))
after(() => rm(root, { recursive: true, force: true }))

let folders = 0
function open(options: { folder?: string; budgetBytes?: number } = {}) {
  const { folder = join(root, String(folders++)), budgetBytes = 10_000_000 } = options
  const time = { now: 1_700_000_000_000 }
  const cache = createFsPrerenderCache({
    folder,
    budgetBytes,
    clock: clockOf(() => time.now),
    log: silentLog,
  })
  return { cache, folder, time }
}

const key = (rest: Partial<PrerenderKey> = {}): PrerenderKey => ({
  deploymentId: 'dpl_1',
  path: 'blog/[slug]',
  query: 'slug=a',
  ...rest,
})
const entry = (rest: Partial<PrerenderEntry> = {}): PrerenderEntry => ({
  status: 200,
  headers: ['content-type', 'text/html', 'x-a', '1'],
  body: Buffer.from([0, 10, 255, 10]),
  generatedAt: 1,
  expiration: 60,
  ...rest,
})

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  return names.filter((name) => name.isFile()).map((name) => join(name.parentPath, name.name))
}

test('what was put is there, for other processes too, and for no other key', async () => {
  const { cache, folder } = open()
  assert.equal(await cache.get(key()), undefined)
  await cache.put(key(), entry({ expiration: false }))
  assert.deepEqual(await open({ folder }).cache.get(key()), entry({ expiration: false }))
  for (const other of [{ deploymentId: 'dpl_2' }, { path: 'blog' }, { query: '' }])
    assert.equal(await cache.get(key(other)), undefined)
  await cache.put(key(), entry({ status: 404, body: Buffer.alloc(0) }))
  assert.deepEqual(await cache.get(key()), entry({ status: 404, body: Buffer.alloc(0) }))
})

test('names cannot lead out of the folder', async () => {
  const { cache, folder } = open()
  const hostile = key({ deploymentId: '../../x', path: '../../../etc/passwd', query: '/../..\0' })
  await cache.put(hostile, entry())
  assert.deepEqual(await cache.get(hostile), entry())
  assert.equal((await filesIn(folder)).length, 1)
})

test('files that are not whole, or of something else, are passed over and written anew', async () => {
  const { cache, folder } = open()
  await cache.put(key(), entry())
  const [file = ''] = await filesIn(folder)
  const whole = await readFile(file)
  for (const bad of [
    whole.subarray(0, -1),
    Buffer.concat([whole, whole]),
    '',
    'x\ny',
    'null\n',
    '{}\n',
    '{"version":1}\n',
  ]) {
    await writeFile(file, bad)
    assert.equal(await cache.get(key()), undefined)
  }
  await cache.put(key({ query: 'other' }), entry())
  const other = (await filesIn(folder)).find((name) => name !== file) as string
  await writeFile(file, await readFile(other))
  assert.equal(await cache.get(key()), undefined)
  await cache.put(key(), entry())
  assert.deepEqual(await cache.get(key()), entry())
})

test('what was not used for longest goes when there is no room', async () => {
  const { cache, folder, time } = open({ budgetBytes: 100_000 })
  const at = (index: number) => key({ query: `n=${index}` })
  for (let index = 0; index < 9; index++) {
    time.now += 120_000
    await cache.put(at(index), entry({ body: Buffer.alloc(10_000) }))
  }
  time.now += 120_000
  assert.ok(await cache.get(at(0)))
  for (let index = 9; index < 12; index++) {
    time.now += 120_000
    await cache.put(at(index), entry({ body: Buffer.alloc(10_000) }))
  }
  assert.ok(await cache.get(at(0)), 'it was used')
  assert.equal(await cache.get(at(1)), undefined)
  assert.ok(await cache.get(at(11)))
  const sizes = await Promise.all((await filesIn(folder)).map(async (name) => (await readFile(name)).length))
  assert.ok(sizes.reduce((a, b) => a + b) <= 110_000)
})

test('a deployment of which ever more is kept takes no room from the others', async () => {
  const { cache, time } = open({ budgetBytes: 200_000 })
  const quiet = ['dpl_a', 'dpl_b'].map((deploymentId) => key({ deploymentId }))
  for (const each of quiet) await cache.put(each, entry({ body: Buffer.alloc(20_000) }))
  for (let index = 0; index < 60; index++) {
    time.now += 120_000
    await cache.put(key({ query: `n=${index}` }), entry({ body: Buffer.alloc(10_000) }))
  }
  for (const each of quiet) assert.ok(await cache.get(each), each.deploymentId)
  assert.ok(await cache.get(key({ query: 'n=59' })))
  assert.equal(await cache.get(key({ query: 'n=0' })), undefined)
})

test('what is short counts as what it takes of a disk', async () => {
  const { cache, folder, time } = open({ budgetBytes: 200_000 })
  for (let index = 0; index < 200; index++) {
    time.now += 60_000
    await cache.put(key({ query: `n=${index}` }), entry())
  }
  assert.ok((await filesIn(folder)).length <= 60)
})

test('what is too large for the whole is not kept', async () => {
  const { cache } = open({ budgetBytes: 1000 })
  await cache.put(key(), entry({ body: Buffer.alloc(2000) }))
  assert.equal(await cache.get(key()), undefined)
})

test('a deployment can be forgotten', async () => {
  const { cache } = open()
  await cache.put(key(), entry())
  await cache.put(key({ deploymentId: 'dpl_2' }), entry())
  await cache.forget('dpl_1')
  assert.equal(await cache.get(key()), undefined)
  assert.ok(await cache.get(key({ deploymentId: 'dpl_2' })))
})

test('writers and readers at the same time see whole entries only', async () => {
  const { cache, folder } = open()
  const other = open({ folder }).cache
  await cache.put(key(), entry())
  await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const body = Buffer.alloc(50_000, index)
      await (index % 2 === 0 ? cache : other).put(key(), entry({ body, generatedAt: index + 1 }))
      const read = await other.get(key())
      assert.ok(read && (read.body.length === 4 || read.body.equals(Buffer.alloc(50_000, read.body[0]))))
    }),
  )
  assert.equal((await filesIn(folder)).length, 1)
})

test('what was revalidated is known to other processes, stays when room is made, and is forgotten with the rest', async () => {
  const { cache, folder } = open({ budgetBytes: 3000 })
  await cache.revalidate('dpl_1', { tags: ['a', 'ü'], at: 5 })
  await cache.revalidate('dpl_1', { tags: ['b'], at: 6, expire: 60 })
  for (let i = 0; i < 20; i++) await cache.put(key({ query: String(i) }), entry({ body: Buffer.alloc(500) }))
  const other = open({ folder }).cache
  assert.deepEqual(
    [...(await other.revalidations('dpl_1')).times()],
    [
      ['a', 5],
      ['ü', 5],
      ['b', 6],
    ],
  )
  assert.equal((await other.revalidations('dpl_2')).size, 0)
  await cache.forget('dpl_1')
  assert.equal((await other.revalidations('dpl_1')).size, 0)
})

test('what was revalidated is on the disk when that is answered, and when the file was written anew', async (t) => {
  const { cache } = open()
  const handle = await openFile(import.meta.filename)
  await handle.close()
  const syncs: string[] = []
  for (const way of ['sync', 'datasync'] as const) {
    const real = handle[way]
    t.mock.method(Object.getPrototypeOf(handle), way, async function (this: FileHandle) {
      const isFolder = (await this.stat()).isDirectory()
      await real.call(this)
      syncs.push(isFolder ? 'folder' : way)
    })
  }
  await cache.revalidate('dpl_1', { tags: ['a'], at: 5 })
  assert.deepEqual([syncs.includes('datasync'), syncs.includes('folder')], [true, true])
  syncs.length = 0
  await cache.revalidate('dpl_1', { tags: ['b'], at: 6 })
  assert.deepEqual(syncs, ['datasync'])
  const long = Array.from({ length: 50 }, (_, n) => `${n}`.padEnd(200, 'x'))
  for (let n = 0; !syncs.includes('sync'); n++) {
    syncs.length = 0
    await cache.revalidate('dpl_1', { tags: long, at: n })
  }
  assert.deepEqual(syncs, ['datasync', 'sync', 'folder'])
  assert.equal((await cache.revalidations('dpl_1')).size, 52)
})

test('revalidations of many processes at once are all kept, however often the file is written anew', async () => {
  const { folder } = open()
  const processes = Array.from({ length: 4 }, () => open({ folder }).cache)
  const tag = 'x'.repeat(200)
  for (let round = 0; round < 100; round++)
    await Promise.all(
      processes.map((cache, i) =>
        cache.revalidate('dpl_1', {
          tags: Array.from({ length: 4 }, (_, n) => `${tag}${i}.${n}`),
          at: round + 1,
        }),
      ),
    )
  const tags = [...(await open({ folder }).cache.revalidations('dpl_1')).times()]
  assert.equal(tags.length, 16)
  assert.deepEqual(new Set(tags.map(([, at]) => at)), new Set([100]))
  const file = (await filesIn(folder)).find((name) => name.endsWith('/revalidations')) ?? ''
  assert.ok((await readFile(file)).length < 300_000)
})

test('revalidations that were told while another process writes the file anew are kept', async () => {
  const { folder } = open()
  const tag = (n: number) => `${n}`.padEnd(240, 'x')
  const writer = `
    import { setTimeout as delay } from 'node:timers/promises'
    import { createFsPrerenderCache } from ${JSON.stringify(new URL('./fs-prerender-cache.ts', import.meta.url).href)}
    const [folder, first] = process.argv.slice(-2)
    const cache = createFsPrerenderCache({ folder, budgetBytes: 1e7, clock: { now: () => 1 }, log: console })
    for (let round = 1; round <= 4; round++)
      for (let n = Number(first); n < 990; n += 3) {
        await cache.revalidate('dpl_1', { tags: [String(n).padEnd(240, 'x')], at: round })
        if (Math.random() < 0.1) await delay(Math.random() * 5)
      }
  `
  const run = promisify(execFile)
  await Promise.all(
    ['0', '1', '2'].map((first) =>
      run(process.execPath, ['--input-type=module', '--eval', writer, '--', folder, first]),
    ),
  )
  const times = new Map((await open({ folder }).cache.revalidations('dpl_1')).times())
  assert.deepEqual(
    Array.from({ length: 990 }, (_, n) => n).filter((n) => times.get(tag(n)) !== 4),
    [],
  )
})

test('the file is written anew whatever size its lines have', async () => {
  const { cache, folder } = open()
  const line = (bytes: number) => ({ tags: ['x'.repeat(bytes - '{"tags":[""],"at":1}\n\n'.length)], at: 1 })
  await cache.revalidate('dpl_1', line(20 * 1024))
  for (let n = 0; n < 9; n++) await cache.revalidate('dpl_1', line(32 * 1024))
  const file = (await filesIn(folder)).find((name) => name.endsWith('/revalidations')) ?? ''
  assert.ok((await readFile(file)).length < 256 * 1024)
})

test('a line that was cut short takes no other along, and a process that died while it wrote the file anew stops nobody', async () => {
  const { cache, folder } = open()
  await cache.revalidate('dpl_1', { tags: ['a'], at: 5 })
  const [file = ''] = await filesIn(folder)
  await appendFile(file, '{"tags":["b"')
  await writeFile(`${file}.short`, '{"tags":["c"')
  await cache.revalidate('dpl_1', { tags: ['d'], at: 6 })
  const tags = await open({ folder }).cache.revalidations('dpl_1')
  assert.deepEqual(
    [...tags.times()],
    [
      ['a', 5],
      ['d', 6],
    ],
  )
})
