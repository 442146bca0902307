import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { AloftError } from '#contract/errors.ts'
import { collect } from './body.ts'
import { BodyMemory } from './body-memory.ts'

const KB = 1024
const LIMITS = { all: 1000 * KB, account: 600 * KB, strangers: 200 * KB, stranger: 100 * KB }

/** A body whose length nobody has said, as it comes. */
function open(memory: BodyMemory, id: string, isStranger = false) {
  const stream = Object.assign(new PassThrough({ highWaterMark: 10_000 * KB }), { headers: {} })
  const held = memory.hold({ id, isStranger })
  const whole = collect(stream as unknown as IncomingMessage, 10_000 * KB, held).then(
    ({ length }) => length,
    (error: AloftError) => error.kind,
  )
  const send = async (bytes: number) => {
    for (let left = bytes; left > 0; left -= 10 * KB) stream.write(Buffer.alloc(Math.min(left, 10 * KB)))
    await new Promise(setImmediate)
  }
  return { stream, held, whole, send }
}

test('an account that sends too much at once is refused, and others are not', async () => {
  const memory = new BodyMemory(LIMITS)
  const mine = [open(memory, 'ada'), open(memory, 'ada'), open(memory, 'ada')]
  for (const { send } of mine) await send(250 * KB)
  assert.equal(await mine[2]?.whole, 'rate_limited')
  const other = open(memory, 'bob')
  await other.send(250 * KB)
  other.stream.end()
  assert.equal(await other.whole, 250 * KB)
  for (const { held } of [...mine, other]) held.release()
  assert.equal(memory.size, 0)
})

test('the process holds no more than it may, whoever sends, and takes what is small', async () => {
  const memory = new BodyMemory(LIMITS)
  const bodies = Array.from({ length: 5 }, (_, n) => open(memory, `account ${n}`))
  for (const { send } of bodies) await send(240 * KB)
  assert.equal(await bodies[4]?.whole, 'service_unavailable')
  assert.ok(memory.size <= LIMITS.all)
  const small = open(memory, 'ada')
  await small.send(60 * KB)
  small.stream.end()
  assert.equal(await small.whole, 60 * KB)
  assert.equal(small.held.isCounted, false)
  for (const { held } of bodies) held.release()
  assert.equal(memory.size, 0)
})

test('strangers have a share of their own, and each address a part of that', async () => {
  const memory = new BodyMemory(LIMITS)
  const one = open(memory, '192.0.2.1', true)
  await one.send(110 * KB)
  assert.equal(await one.whole, 'rate_limited')
  one.held.release()
  const crowd = Array.from({ length: 3 }, (_, n) => open(memory, `192.0.2.${n}`, true))
  for (const { send } of crowd) await send(90 * KB)
  assert.equal(await crowd[2]?.whole, 'service_unavailable')
  const account = open(memory, 'ada')
  await account.send(500 * KB)
  account.stream.end()
  assert.equal(await account.whole, 500 * KB)
})

test('whoever has many addresses of one network of IPv6 has one share', async () => {
  const memory = new BodyMemory(LIMITS)
  const bodies = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map((id) => open(memory, id, true))
  for (const { send } of bodies) await send(60 * KB)
  assert.equal(await bodies[1]?.whole, 'rate_limited')
  bodies[2]?.stream.end()
  assert.equal(await bodies[2]?.whole, 60 * KB)
  for (const { held } of bodies) held.release()
  assert.equal(memory.size, 0)
})
