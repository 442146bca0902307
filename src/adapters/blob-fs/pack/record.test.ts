import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { encodeRecord, HEADER_BYTES, MAX_CONTENT_BYTES, recordBytes, scanRecords } from './record.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aloft-records-'))
})
after(() => rm(folder, { recursive: true, force: true }))

function packOf(contents: readonly Buffer[]): Buffer {
  const pack = Buffer.alloc(contents.reduce((sum, bytes) => sum + recordBytes(bytes.length), 0))
  let at = 0
  for (const [n, bytes] of contents.entries())
    at = encodeRecord(pack, at, { sha256: hash('sha256', bytes), bytes, putAt: n })
  return pack
}

async function scan(
  pack: Buffer,
  from = 0,
): Promise<{ bytes: Buffer; offset: number; end: number; putAt: number }[]> {
  const path = join(folder, 'pack')
  await writeFile(path, pack)
  const handle = await open(path, 'r')
  try {
    const found = []
    for await (const { bytes, offset, end, putAt } of scanRecords(handle, from, pack.length))
      found.push({ bytes: Buffer.from(bytes), offset, end, putAt })
    return found
  } finally {
    await handle.close()
  }
}

const SIZES = [0, 1, 100, 70_000, MAX_CONTENT_BYTES, 3, MAX_CONTENT_BYTES - 1, 0, 500_000]
const contents = SIZES.map((size) => randomBytes(size))

test('records come back in order, with their places, across any window', async () => {
  const pack = packOf(contents)
  const found = await scan(pack)
  assert.equal(found.length, contents.length)
  for (const [n, { bytes, offset, end, putAt }] of found.entries()) {
    assert.ok(bytes.equals(contents[n] as Buffer))
    assert.ok(pack.subarray(offset, end).equals(bytes))
    assert.equal(putAt, n)
  }
})

test('a scan can start at the end of any record', async () => {
  const pack = packOf(contents)
  const [first] = await scan(pack)
  assert.equal((await scan(pack, first?.end)).length, contents.length - 1)
})

test('a torn end is left out, wherever it is torn', async () => {
  const whole = packOf([Buffer.from('one'), Buffer.from('two')])
  const first = recordBytes(3)
  for (let length = first; length < whole.length; length += 1) {
    const found = await scan(whole.subarray(0, length))
    assert.deepEqual(
      found.map(({ bytes }) => bytes.toString()),
      ['one'],
      `cut at ${length}`,
    )
  }
})

test('a damaged byte costs the record it is in and no other', async () => {
  const names = ['one', 'two', 'three']
  const sound = packOf(names.map((name) => Buffer.from(name)))
  const second = recordBytes(3)
  for (let at = second; at < second * 2; at += 1) {
    // The time of the put is covered by the checksum of the header like everything else.
    const pack = Buffer.from(sound)
    pack[at] = (pack[at] as number) ^ 1
    const found = await scan(pack)
    assert.deepEqual(
      found.map(({ bytes }) => bytes.toString()),
      ['one', 'three'],
      `damaged at ${at}`,
    )
  }
})

test('zeros and noise hold no records, and do not hide those behind them', async () => {
  const record = packOf([Buffer.from('here')])
  assert.deepEqual(await scan(Buffer.alloc(3 << 20)), [])
  for (const noise of [Buffer.alloc(3 << 20), randomBytes(2 << 20), Buffer.alloc(HEADER_BYTES - 1)]) {
    const found = await scan(Buffer.concat([noise, record]))
    assert.deepEqual(
      found.map(({ bytes, offset }) => [bytes.toString(), offset]),
      [['here', noise.length + HEADER_BYTES]],
    )
  }
})

test('a record inside a content is not mistaken for a record of the pack', async () => {
  const inner = packOf([Buffer.from('inner')])
  const found = await scan(packOf([inner, Buffer.from('after')]))
  assert.deepEqual(
    found.map(({ bytes }) => bytes.length),
    [inner.length, 5],
  )
})

test('a length beyond what a pack holds is damage', async () => {
  const big = Buffer.alloc(MAX_CONTENT_BYTES + 1)
  assert.deepEqual(await scan(packOf([big])), [])
})
