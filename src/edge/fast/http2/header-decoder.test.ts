/** The header blocks of node:http2 are read as they were meant, and blocks of ours as well. */
import assert from 'node:assert/strict'
import { connect, type OutgoingHttpHeaders } from 'node:http2'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { frame, HEAD_BYTES, PREFACE, readHead, settingsAck, TYPE } from './frames.ts'
import { HeaderDecoder, TOO_LARGE } from './header-decoder.ts'
import { encodeHeaders } from './header-encoder.ts'

/** What node:http2 sends for each of these requests, as whole header blocks of one connection. */
async function blocksOf(requests: readonly OutgoingHttpHeaders[]): Promise<Buffer[]> {
  const blocks: Buffer[] = []
  const done = Promise.withResolvers<void>()
  const server = createServer((socket: Socket) => {
    let bytes = Buffer.alloc(0)
    let at = PREFACE.length
    let block = Buffer.alloc(0)
    socket.write(frame(TYPE.settings, 0, 0, Buffer.alloc(0)))
    socket.write(settingsAck())
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      while (bytes.length - at >= HEAD_BYTES) {
        const { length, type, flags } = readHead(bytes, at)
        if (bytes.length < at + HEAD_BYTES + length) return
        const payload = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length)
        at += HEAD_BYTES + length
        if (type !== TYPE.headers && type !== TYPE.continuation) continue
        block = Buffer.concat([block, payload])
        if ((flags & 4) === 0) continue
        blocks.push(block)
        block = Buffer.alloc(0)
        if (blocks.length === requests.length) done.resolve()
      }
    })
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const session = connect(`http://127.0.0.1:${(server.address() as { port: number }).port}`)
  for (const headers of requests) session.request(headers, { endStream: true }).on('error', () => {})
  await done.promise
  session.on('error', () => {}).destroy()
  server.close()
  return blocks
}

const PSEUDO = { ':method': 'GET', ':authority': 'site.test', ':scheme': 'https', ':path': '/' }

const header = fc.tuple(
  fc.constantFrom('accept', 'user-agent', 'cookie', 'x-a', 'x-long-name-of-a-header', 'referer', 'etag'),
  fc.oneof(
    fc.constantFrom('', '*/*', 'a', 'curl/8.14.1', 'gzip, deflate', 'x'.repeat(3000)),
    fc
      .array(fc.oneof(fc.integer({ min: 0x21, max: 0x7e }), fc.integer({ min: 0xa0, max: 0xff })), {
        maxLength: 60,
      })
      .map((codes) => String.fromCharCode(...codes)),
  ),
)

test('blocks of node:http2 are read as it meant them, over a whole connection', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uniqueArray(header, { maxLength: 6, selector: ([name]) => name }), {
        minLength: 1,
        maxLength: 30,
      }),
      async (lists) => {
        const requests = lists.map((list) => ({ ...PSEUDO, ...Object.fromEntries(list) }))
        const blocks = await blocksOf(requests)
        const decoder = new HeaderDecoder()
        for (const [index, block] of blocks.entries()) {
          const fields = decoder.decode(block)
          assert.deepEqual(
            Object.fromEntries((fields ?? []).map(({ name, value }) => [name, value])),
            requests[index],
          )
        }
      },
    ),
    { numRuns: 40 },
  )
})

test('what is encoded here is read here, and changes nothing for what comes after it', () => {
  fc.assert(
    fc.property(fc.array(header, { maxLength: 20 }), (list) => {
      const decoder = new HeaderDecoder()
      const headers = [':status', '200', ':status', '418', ...list.flat()]
      const block = encodeHeaders(headers)
      for (let round = 0; round < 2; round++)
        assert.deepEqual(
          decoder.decode(block)?.flatMap(({ name, value }) => [name, value]),
          headers,
        )
      assert.equal(decoder.version, 0)
    }),
  )
})

const BAD: Readonly<Record<string, number[]>> = {
  'the number 0': [0x80],
  'a number of no header': [0xbe],
  'a number without an end': [0xff, 0xff],
  'a number that is too large': [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  'a name that is cut': [0x40, 0x05, 0x61],
  'a value that is cut': [0x40, 0x01, 0x61, 0x02, 0x62],
  'no value': [0x40, 0x01, 0x61],
  'a code that is filled up with a byte': [0x40, 0x01, 0x61, 0x82, 0x1f, 0xff],
  'a code that is filled up with zeros': [0x40, 0x01, 0x61, 0x81, 0x18],
  'the end within a code': [0x40, 0x01, 0x61, 0x84, 0xff, 0xff, 0xff, 0xff],
  'a table that is larger than allowed': [0x3f, 0xe2, 0x1f],
  'a new size of the table after a header': [0x82, 0x20],
}

for (const [name, bytes] of Object.entries(BAD))
  test(`${name} is not read`, () => assert.equal(new HeaderDecoder().decode(Buffer.from(bytes)), undefined))

test('of a few bytes that mean a great deal nothing is kept but what later ones refer to', () => {
  const decoder = new HeaderDecoder(32 * 1024)
  const remembered = (name: string, length: number) => {
    const block = encodeHeaders([name, 'a'.repeat(length)])
    block[0] = 0x40
    return block
  }
  assert.equal(decoder.decode(remembered('x-a', 3900))?.length, 1)
  // Each counts as 3935 bytes.
  assert.equal(decoder.decode(Buffer.alloc(8, 0xbe))?.length, 8)
  assert.equal(decoder.decode(Buffer.alloc(9, 0xbe)), TOO_LARGE)
  assert.equal(decoder.decode(Buffer.concat([Buffer.alloc(9, 0xbe), remembered('x-b', 10)])), TOO_LARGE)
  assert.equal(decoder.decode(Buffer.from([0xbe]))?.[0]?.name, 'x-b')
  assert.equal(decoder.decode(Buffer.concat([Buffer.alloc(9, 0xbf), Buffer.from([0x80])])), undefined)
})

test('headers that are forgotten have no number any more', () => {
  const decoder = new HeaderDecoder()
  const remembered = (value: string) => {
    const block = encodeHeaders(['x-a', value])
    block[0] = 0x40
    return block
  }
  assert.ok(decoder.decode(remembered('a'.repeat(2100))))
  assert.equal(decoder.decode(Buffer.from([0xbe]))?.[0]?.value.length, 2100)
  assert.ok(decoder.decode(remembered('b'.repeat(2100))))
  assert.equal(decoder.decode(Buffer.from([0xbe]))?.[0]?.value[0], 'b')
  assert.equal(decoder.decode(Buffer.from([0xbf])), undefined)
  assert.deepEqual(decoder.decode(Buffer.from([0x20])), [])
  assert.equal(decoder.decode(Buffer.from([0xbe])), undefined)
})

test('what may be taken in two ways is not plain', () => {
  const plain = (name: string, value: string) =>
    new HeaderDecoder().decode(encodeHeaders([name, value]))?.[0]?.isPlain
  for (const [name, value] of [
    ['X-A', 'a'],
    ['x a', 'a'],
    ['', 'a'],
    ['x-a', ' a'],
    ['x-a', 'a\t'],
    ['x-a', 'a\r\nb'],
    ['x-a', '\u00e9'],
    ['x-a', '\0'],
  ] as const)
    assert.equal(plain(name, value), false, JSON.stringify([name, value]))
  for (const [name, value] of [
    [':path', '/'],
    ['x-a', ''],
    ['x-a', 'a b\tc'],
  ] as const)
    assert.equal(plain(name, value), true)
})
