import assert from 'node:assert/strict'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { DiskWatcher } from './disk-watch.ts'

const LIMITS = { diskBytes: 2 ** 50, diskFiles: 2 ** 50, freeBytes: 0 }

/** A watched folder. What is asked about it is answered here; `counts` says how often. */
async function watched(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-disk-watch-'))
  t.after(() => rm(folder, { recursive: true }))
  const [bytes, files] = [
    [Promise.withResolvers<number>(), Promise.withResolvers<number>()],
    [Promise.withResolvers<void>(), Promise.withResolvers<void>()],
  ] as const
  let counts = 0
  const watcher = new DiskWatcher(folder, LIMITS, {
    bytes: () => bytes[counts++]?.promise ?? assert.fail('counted too often'),
    files: async () => {
      files[counts - 1]?.resolve()
      return 1
    },
  })
  return { folder, watcher, bytes, counted: files.map(({ promise }) => promise), counts: () => counts }
}

test('a folder that was counted for one command is not counted anew for the next', async (t) => {
  const { folder, watcher, bytes, counted, counts } = await watched(t)
  bytes[0].resolve(1)
  const first = watcher.watch(assert.fail)
  await counted[0]
  await new Promise(setImmediate)
  first.stop()
  const second = watcher.watch(assert.fail)
  t.after(() => second.stop())
  // It has looked at the disk by then.
  for (let looks = 0; looks < 3; looks++) await statfs(folder)
  assert.equal(counts(), 1)
})

test('a count that ended with its command is made again', async (t) => {
  const { folder, watcher, bytes, counted, counts } = await watched(t)
  const first = watcher.watch(assert.fail)
  while (counts() === 0) await statfs(folder)
  first.stop()
  bytes[0].resolve(1)
  await counted[0]
  await new Promise(setImmediate)
  const over = Promise.withResolvers<string>()
  const second = watcher.watch(over.resolve)
  t.after(() => second.stop())
  bytes[1].resolve(2 ** 51)
  assert.match(await over.promise, /uses more than .* of disk space/)
})

test('a build that never lets its files be counted is ended', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-disk-watch-'))
  t.after(() => rm(folder, { recursive: true }))
  const given = [undefined, 1, undefined, undefined, undefined]
  const counted = Promise.withResolvers<void>()
  const first = new DiskWatcher(folder, LIMITS, {
    bytes: async () => given.shift(),
    files: async () => {
      counted.resolve()
      return 1
    },
  }).watch(assert.fail)
  await counted.promise
  await new Promise(setImmediate)
  first.stop()
  const over = Promise.withResolvers<string>()
  const second = new DiskWatcher(folder, LIMITS, {
    bytes: async () => given.shift(),
    files: async () => 1,
  }).watch(over.resolve)
  t.after(() => second.stop())
  assert.equal(await over.promise, 'The files of the build cannot be counted')
})
