import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { isOutOfSpace } from '../../fs/error-code.ts'
import { type Intake, inlineIntake } from './intake.ts'
import { IntakeThread } from './threaded-intake.ts'

const thread = new IntakeThread()
after(() => thread.close())

const CHUNK = 64 << 10
const SOME = 40

for (const [where, start] of [
  ['on the event loop', inlineIntake],
  ['in a thread', ({ fd }: FileHandle) => thread.start(fd)],
] as const satisfies [string, (handle: FileHandle) => Intake][])
  describe(`taking in a large content ${where}`, () => {
    let folder: string
    let handle: FileHandle

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'aloft-intake-'))
    })
    after(() => rm(folder, { recursive: true }))
    beforeEach(async () => {
      handle = await open(join(folder, 'content'), 'w+')
    })
    afterEach(() => handle.close())

    it('writes and hashes all of it, in order', async () => {
      const bytes = randomBytes(SOME * CHUNK + 7)
      const intake = start(handle)
      for (let at = 0; at < bytes.length; at += CHUNK)
        await intake.add(Buffer.from(bytes.subarray(at, at + CHUNK)), true)
      const { sha1, sha256, size } = await intake.finish()
      assert.deepEqual([sha1, sha256, size], [hash('sha1', bytes), hash('sha256', bytes), bytes.length])
      assert.ok((await readFile(join(folder, 'content'))).equals(bytes))
    })

    it('leaves no chunk of its own in memory, and every other as it was', async () => {
      const own = Array.from({ length: SOME }, () => Buffer.from(new Uint8Array(CHUNK)))
      const others = own.map(() => Buffer.from(new Uint8Array(CHUNK).fill(1)))
      const parts = own.map(() => Buffer.from(new ArrayBuffer(CHUNK + 1), 1).fill(2))
      const intake = start(handle)
      for (const [n, chunk] of own.entries()) {
        await intake.add(chunk, true)
        await intake.add(others[n] ?? chunk, false)
        await intake.add(parts[n] ?? chunk, true)
      }
      assert.equal((await intake.finish()).size, 3 * SOME * CHUNK)
      assert.ok(own.every((chunk) => chunk.length === 0))
      assert.ok(others.every((chunk) => chunk.length === CHUNK && chunk[0] === 1))
      assert.ok(parts.every((chunk) => chunk.length === CHUNK && chunk[0] === 2))
      const written = await readFile(join(folder, 'content'))
      assert.deepEqual(
        [0, 1, 2].map((n) => written[n * CHUNK]),
        [0, 1, 2],
      )
    })

    it('says that the disk is full', async () => {
      const full = await open('/dev/full', 'r+')
      try {
        const intake = start(full)
        await assert.rejects(async () => {
          for (let n = 0; n < SOME; n++) await intake.add(new Uint8Array(CHUNK), true)
          await intake.finish()
        }, isOutOfSpace)
        await intake.drop()
      } finally {
        await full.close()
      }
    })
  })

it('goes on with the next content after one that failed or was dropped', async () => {
  const one = thread.start(-1)
  await one.add(randomBytes(CHUNK), true)
  await assert.rejects(one.finish())
  const two = thread.start(-1)
  await two.add(randomBytes(CHUNK), true)
  await two.drop()
  const folder = await mkdtemp(join(tmpdir(), 'aloft-intake-'))
  const handle = await open(join(folder, 'content'), 'w')
  const three = thread.start(handle.fd)
  await three.add(Buffer.from('three'), false)
  assert.equal((await three.finish()).sha1, hash('sha1', 'three'))
  await handle.close()
  await rm(folder, { recursive: true })
})

it('takes in what comes while the thread is just being ended because nothing came', async (t) => {
  const own = new IntakeThread()
  t.after(() => own.close())
  const folder = await mkdtemp(join(tmpdir(), 'aloft-intake-'))
  const handle = await open(join(folder, 'content'), 'w')
  t.after(async () => {
    await handle.close()
    await rm(folder, { recursive: true })
  })
  const takeIn = async (text: string) => {
    const intake = own.start(handle.fd)
    await intake.add(Buffer.from(text), false)
    return (await intake.finish()).sha1
  }
  t.mock.timers.enable({ apis: ['setTimeout'] })
  assert.equal(await takeIn('one'), hash('sha1', 'one'))
  t.mock.timers.tick(60_000)
  assert.equal(await takeIn('two'), hash('sha1', 'two'))
})

it('fails a content whose chunk cannot be handed over, and none that comes after it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-intake-'))
  const handle = await open(join(folder, 'content'), 'w+')
  t.after(async () => {
    await handle.close()
    await rm(folder, { recursive: true })
  })
  const failing = thread.start(handle.fd)
  const chunk = new Uint8Array(CHUNK)
  await assert.rejects(async () => {
    // Given away once, it is nobody's to give away again.
    for (let n = 0; n < SOME; n++) await failing.add(chunk, true)
    await failing.finish()
  }, /DataCloneError|detached|transfer/i)
  await failing.drop()
  const intake = thread.start(handle.fd)
  await intake.add(new Uint8Array(CHUNK), true)
  assert.equal((await intake.finish()).size, CHUNK)
})
