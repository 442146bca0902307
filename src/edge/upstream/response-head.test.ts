import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBodyDecoder } from './body-decoder.ts'
import { readResponseHead } from './response-head.ts'

test('a head is read with its headers in order, names in lower case', () => {
  const head =
    'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A:  1 \r\nx-a:2\r\nX-Empty:\r\nContent-Length: 3'
  assert.deepEqual(readResponseHead(head), {
    status: 200,
    headers: ['content-type', 'text/plain', 'x-a', '1', 'x-a', '2', 'x-empty', '', 'content-length', '3'],
    framing: 3,
    keepsAlive: true,
    keepsForMs: Number.POSITIVE_INFINITY,
  })
})

test('how the body ends, and whether the connection lives on', () => {
  const read = (rest: string, version = '1.1') => {
    const { framing, keepsAlive } = readResponseHead(`HTTP/${version} 200\r\n${rest}x: y`)
    return [framing, keepsAlive]
  }
  assert.deepEqual(read(''), ['until-close', true])
  assert.deepEqual(read('transfer-encoding: Chunked\r\n'), ['chunked', true])
  assert.deepEqual(read('content-length: 5\r\ncontent-length: 5\r\nconnection: Close\r\n'), [5, false])
  assert.deepEqual(read('connection: keep-alive, close\r\n'), ['until-close', false])
  assert.deepEqual(read('content-length: 0\r\n', '1.0'), [0, false])
})

for (const head of [
  '',
  'HTTP/1.1',
  'HTTP/2 200 OK',
  'HTTP/1.1 20 OK',
  'HTTP/1.1 600 OK',
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 200 OK\r\nx',
  'HTTP/1.1 200 OK\r\n: x',
  'HTTP/1.1 200 OK\r\nx : y',
  'HTTP/1.1 200 OK\r\nx\x00: y',
  'HTTP/1.1 200 OK\r\nx: y\nz: 1',
  'HTTP/1.1 200 OK\r\nx: y\rz: 1',
  'HTTP/1.1 200 OK\r\nx: y\x00',
  'HTTP/1.1 200 OK\r\nx: y\r\n z',
  'HTTP/1.1 200 OK\r\ncontent-length: -1',
  'HTTP/1.1 200 OK\r\ncontent-length: +1',
  'HTTP/1.1 200 OK\r\ncontent-length: 1, 1',
  'HTTP/1.1 200 OK\r\ncontent-length: 0x1',
  'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: identity',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 1',
  `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(300)}x: y`,
])
  test(`${JSON.stringify(head.slice(0, 70))} is refused`, () => {
    assert.throws(() => readResponseHead(head), { name: 'MalformedResponseError' })
  })

function decode(framing: Parameters<typeof createBodyDecoder>[0], text: string, step: number) {
  const decoder = createBodyDecoder(framing)
  const out: Buffer[] = []
  let taken = 0
  for (let at = 0; at < text.length && !decoder.isDone; at += step)
    taken += decoder.decode(Buffer.from(text.slice(at, at + step), 'latin1'), out)
  return { text: Buffer.concat(out).toString('latin1'), taken, isDone: decoder.isDone }
}

test('a chunked body comes out the same however it is cut', () => {
  const sent = '3;x="y"\r\nabc\r\nA\r\n0123456789\r\n0\r\nx-trailer: 1\r\n\r\n'
  for (let step = 1; step <= sent.length; step++)
    assert.deepEqual(decode('chunked', sent, step), {
      text: 'abc0123456789',
      taken: sent.length,
      isDone: true,
    })
})

test('what follows a body is not a part of it', () => {
  assert.deepEqual(decode('chunked', '1\r\na\r\n0\r\n\r\nHTTP/1.1', 100), {
    text: 'a',
    taken: 11,
    isDone: true,
  })
  assert.deepEqual(decode(3, 'abcdef', 4), { text: 'abc', taken: 3, isDone: true })
  assert.deepEqual(decode('until-close', 'abcdef', 4), { text: 'abcdef', taken: 6, isDone: false })
})

for (const sent of [
  'x\r\n',
  '\r\n',
  '-1\r\n',
  '1 \r\n',
  '0x1\r\n',
  '1\na\n',
  '1\r\nab\r\n',
  '1\r\na\n\r',
  '123456789\r\n',
  `1;${'x'.repeat(2000)}`,
  `0\r\n${`x: ${'y'.repeat(900)}\r\n`.repeat(30)}`,
])
  test(`the chunks ${JSON.stringify(sent.slice(0, 40))} are refused`, () => {
    for (const step of [1, 7, 100_000])
      assert.throws(() => decode('chunked', sent, step), { name: 'MalformedResponseError' })
  })
