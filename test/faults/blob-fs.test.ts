import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { BlobError, type BlobStore } from '#core/ports/blob-store.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { fillDisk, mountTinyDisk, unmountTinyDisk } from '#test/support/storage/tiny-disk.ts'

const CHILD = fileURLToPath(new URL('./blob-fs-child.ts', import.meta.url))

let folder: string
const children: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aloft-blob-faults-'))
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const openStore = (where = folder) =>
  createFsBlobStore({ folder: where, clock: systemClock, log: silentLog, packBytes: 128 << 10 })

/** Runs a child until it has told this many lines, kills it at once, and notes what it promised until then. */
async function runAndKill(lines: number, promised: Set<string>): Promise<void> {
  const child = spawn(process.execPath, ['--no-warnings', CHILD, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const exited = once(child, 'exit')
  let told = 0
  for await (const line of createInterface({ input: child.stdout })) {
    // The last line may be torn by the kill: then the child did not finish telling, and promised nothing.
    const [, sign, name] = /^([+-]) ([0-9a-f]{64})$/.exec(line) ?? []
    if (sign === '+') promised.add(name as string)
    if (sign === '-') promised.delete(name as string)
    told += 1
    if (told === lines) child.kill('SIGKILL')
  }
  const [, signal] = await exited
  assert.equal(signal, 'SIGKILL')
}

async function assertKept(store: BlobStore, promised: ReadonlySet<string>): Promise<void> {
  const names = [...promised]
  assert.equal((await store.stat(names)).size, names.length)
  for (const name of names) {
    const bytes = await store.read(name)
    assert.ok(bytes, `${name} is lost`)
    assert.equal(createHash('sha256').update(bytes).digest('hex'), name)
  }
}

test('nothing acknowledged is lost when processes that share a folder are killed', async () => {
  const promised = new Set<string>()
  for (let round = 0; round < 4; round += 1) {
    await Promise.all([
      runAndKill(randomInt(1, 60), promised),
      runAndKill(randomInt(100, 400), promised),
      runAndKill(randomInt(100, 400), promised),
    ])
    const store = await openStore()
    await assertKept(store, promised)
    assert.deepEqual(await readdir(join(folder, 'temp')), [])
    assert.equal((await readdir(join(folder, 'writers'))).length, 1)
    await store.close()
  }
  assert.ok(promised.size > 0)
})

test('a process that lives on is not disturbed by the death of others, nor by those that start', async () => {
  const store = await openStore()
  const promised = new Set<string>()
  let over = false
  const mine = (async () => {
    while (!over) promised.add((await store.putBytes(randomBytes(randomInt(9000)))).sha256)
  })()
  for (let round = 0; round < 3; round += 1) {
    await runAndKill(randomInt(50, 200), promised)
    await assertKept(store, promised)
  }
  over = true
  await mine
  await assertKept(store, promised)
  await store.close()
})

test('everything acknowledged is in the packs alone, without the index', async () => {
  const promised = new Set<string>()
  await Promise.all([runAndKill(300, promised), runAndKill(300, promised)])
  for (const suffix of ['', '-wal', '-shm']) await rm(join(folder, `index.sqlite${suffix}`), { force: true })
  const store = await openStore()
  await assertKept(store, promised)
  await store.close()
})

test('a full disk refuses puts, keeps what it has, and works again once there is room', async (t) => {
  const reason = mountTinyDisk(folder, 16)
  if (reason !== undefined) return t.skip(reason)
  try {
    const full = await openStore()
    const stored: string[] = []
    let refused = 0
    for (let n = 0; refused < 20; n += 1) {
      const bytes = randomBytes(n % 10 === 0 ? 100_000 : 20_000)
      const outcome = await full.putBytes(bytes).then(
        (digest) => digest,
        (error: unknown) => error,
      )
      if (outcome instanceof Error) {
        assert.ok(outcome instanceof BlobError, `${outcome}`)
        assert.equal(outcome.kind, 'no_space')
        refused += 1
      } else stored.push((outcome as { sha256: string }).sha256)
    }
    assert.ok(stored.length > 50)
    await assertKept(full, new Set(stored))
    await full.close()
    const store = await openStore()
    await assertKept(store, new Set(stored))
    assert.deepEqual(await readdir(join(folder, 'temp')), [])

    const gone = stored.filter((_, n) => n % 8 !== 0)
    const kept = new Set(stored.filter((_, n) => n % 8 === 0))
    assert.equal(await store.delete(gone), gone.length)
    for (let n = 0; n < 30; n += 1) kept.add((await store.putBytes(randomBytes(20_000))).sha256)
    await assertKept(store, kept)
    await store.close()
    const again = await openStore()
    await assertKept(again, kept)
    await again.close()
  } finally {
    unmountTinyDisk(folder)
  }
})

test('on a disk that is full to the last byte a store opens by what it had reserved, and else names the disk', async (t) => {
  const reason = mountTinyDisk(folder, 16)
  if (reason !== undefined) return t.skip(reason)
  try {
    const { sha256 } = await fill()
    const store = await openStore()
    await assertKept(store, new Set([sha256]))
    await store.close()

    await fillDisk(join(folder, 'filler'))
    await assert.rejects(openStore, (error: Error) => {
      assert.ok(error instanceof BlobError && error.kind === 'no_space', `${error}`)
      assert.match(error.message, new RegExp(`^No space is left on the disk of ${folder}`))
      return true
    })
  } finally {
    unmountTinyDisk(folder)
  }

  async function fill() {
    const store = await openStore()
    const stored = await store.putBytes(randomBytes(20_000))
    await store.close()
    await fillDisk(join(folder, 'filler'))
    return stored
  }
})
