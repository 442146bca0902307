import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openSealedBackup, SEALED_HEADER_BYTES, SealError, sealBackup } from './sealed-backup.ts'

const PASSPHRASE = 'correct horse battery'
const PIECE = 64 * 1024 + 16

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

/** Cheap to guess, and quick to test. */
const CHEAP = { log2N: 8, r: 1, p: 1 }

async function sealed(bytes: Buffer): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of sealBackup(inPieces(bytes, 10_000), PASSPHRASE, CHEAP)) parts.push(part)
  return Buffer.concat(parts)
}

const open = (bytes: Buffer, passphrase = PASSPHRASE) =>
  openSealedBackup(
    async (position, length) => bytes.subarray(position, position + length),
    bytes.length,
    passphrase,
  )

test('what was sealed is read from anywhere, whatever the lengths', async () => {
  for (const length of [1, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 200_000]) {
    const bytes = randomBytes(length)
    const { size, readAt } = await open(await sealed(bytes))
    assert.equal(size, length)
    assert.deepEqual(await readAt(0, length), bytes)
    assert.deepEqual(await readAt(length >> 1, 70_000), bytes.subarray(length >> 1, (length >> 1) + 70_000))
  }
})

test('the same backup is never sealed the same, and another passphrase opens none', async () => {
  const bytes = Buffer.from('x'.repeat(1000))
  const [one, two] = [await sealed(bytes), await sealed(bytes)]
  assert.equal(one.includes('xxx'), false)
  assert.notDeepEqual(one.subarray(-100), two.subarray(-100))
  await assert.rejects(open(one, `${PASSPHRASE}.`), /passphrase is not the one/)
})

test('nothing can be changed, left out, moved or cut off unseen', async () => {
  const whole = await sealed(randomBytes(200_000))
  const head = whole.subarray(0, SEALED_HEADER_BYTES)
  const piece = (n: number) =>
    whole.subarray(SEALED_HEADER_BYTES + n * PIECE, SEALED_HEADER_BYTES + (n + 1) * PIECE)
  const flipped = (at: number) => {
    const copy = Buffer.from(whole)
    copy[at] = (copy[at] as number) ^ 1
    return copy
  }
  for (const [what, bytes] of Object.entries({
    'cut between pieces': whole.subarray(0, SEALED_HEADER_BYTES + 2 * PIECE),
    'cut in a piece': whole.subarray(0, whole.length - 1000),
    'a piece left out': Buffer.concat([head, piece(0), piece(2), piece(3)]),
    'two pieces exchanged': Buffer.concat([head, piece(1), piece(0), piece(2), piece(3)]),
    'something added': Buffer.concat([whole, Buffer.alloc(100)]),
    'a byte changed': flipped(whole.length - 5),
    'the salt changed': flipped(30),
  }))
    await assert.rejects(
      async () => {
        const { size, readAt } = await open(bytes)
        await readAt(0, size)
      },
      SealError,
      what,
    )
  await assert.rejects(open(head), SealError)
})

test('a file cannot ask for more memory or time than it may', async () => {
  const whole = await sealed(Buffer.from('x'))
  for (const [at, value] of [
    [22, 40],
    [22, 0],
    [23, 255],
    [24, 255],
  ] as const) {
    const copy = Buffer.from(whole)
    copy[at] = value
    await assert.rejects(open(copy), /header is not valid/)
  }
})
