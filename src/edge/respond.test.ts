import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import type { AnyRequest, AnyResponse } from '#core/http-message.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { respond } from './respond.ts'
import { VisitorMemory } from './visitor-memory.ts'

const MB = 1024 * 1024

/** Somebody who takes nothing until they are told to, and what was given to them. */
function slowVisitor() {
  const given: Buffer[] = []
  let goOn = () => {}
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      given.push(chunk)
      goOn = done
    },
  })
  const res = { stream, writeHead: () => {}, end: (body?: Buffer) => stream.end(body) }
  const bytes = () => stream.writableLength
  return { res: res as unknown as AnyResponse, stream, given, bytes, takeOne: () => goOn() }
}

test('a large answer goes out in pieces to whom it is copied for, no faster than they take them', async () => {
  const { res, stream, given, bytes, takeOne } = slowVisitor()
  const body = Buffer.alloc(8 * MB, 'x')
  const req = { method: 'GET', socket: {} } as unknown as AnyRequest
  const answer = { status: 200, headers: [], body, source: 'function', entrypoint: '' } as const
  const parts = { memory: new VisitorMemory(), log: silentLog }
  const sent = respond({ req, res, ip: '192.0.2.1' }, answer, { id: 'id', date: 'now' }, parts)
  for (let n = 0; n < 20; n++) await new Promise(setImmediate)
  assert.ok(bytes() <= 256 * 1024, `${bytes()} bytes wait for a visitor who takes none`)
  const over = new Promise((resolve) => stream.once('finish', resolve))
  const taking = setInterval(takeOne, 0)
  await over
  clearInterval(taking)
  assert.ok(Buffer.concat(given).equals(body))
  assert.equal(sent(), body.length)
})
