import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import fc from 'fast-check'
import { createOutbound } from '#adapters/outbound-http/outbound-http.ts'
import { HOUR, MINUTE } from '#contract/time.ts'
import { createTestClock } from '#test/support/clock.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { type Ocsp, startOcsp } from '#test/support/tls/ocsp.ts'
import { certificateId } from './ocsp-request.ts'
import { readResponse } from './ocsp-response.ts'
import { createStaples } from './staples.ts'

const open = createOutbound({ allows: () => true })
const guarded = createOutbound()
let ocsp: Ocsp
let usual: Ocsp['answers']
before(async () => {
  ocsp = await startOcsp()
  usual = { ...ocsp.answers }
})
beforeEach(() => {
  Object.assign(ocsp.answers, usual)
  ocsp.asked.length = 0
})
after(async () => {
  open.close()
  guarded.close()
  await ocsp.close()
})

function begin({ outbound = open, max = 10 } = {}) {
  const [clock, log] = [createTestClock(), createRecordingLog()]
  const staples = createStaples({ outbound, clock, log, max })
  const find = () => staples.find(ocsp.leaf.der, ocsp.issuer)
  return {
    ...{ clock, log, staples, find },
    /** What is served once the responder has been asked, and why not if nothing is. */
    async found() {
      find()
      await staples.settled()
      const error = log.entries.at(-1)?.fields as { err?: Error } | undefined
      return find() ?? error?.err?.message
    },
  }
}

test('a response is asked for once, in the background, and served until a new one is due', async () => {
  const { find, staples, clock } = begin()
  assert.equal(find(), undefined, 'nobody waits for it')
  assert.equal(find(), undefined)
  await staples.settled()
  assert.equal(ocsp.asked.length, 1)
  const first = find()
  assert.ok(first)
  clock.advance(29 * MINUTE)
  assert.equal(find(), first)
  assert.equal(ocsp.asked.length, 1)
  clock.advance(2 * MINUTE)
  ocsp.answers.status = 500
  assert.equal(find(), first, 'the old one is served while the new one is asked for')
  await staples.settled()
  assert.deepEqual([ocsp.asked.length, find() === first], [2, true], 'it holds still')
  clock.advance(HOUR)
  assert.equal(find(), undefined, 'it does not hold any more')
  await staples.settled()
  ocsp.answers.status = 200
  for (const [minutes, asked] of [
    [1, 3],
    [2, 4],
  ] as const) {
    clock.advance(minutes * MINUTE)
    find()
    await staples.settled()
    assert.equal(ocsp.asked.length, asked, 'a responder that fails is left alone, ever longer')
  }
})

test('only a good word of the issuer, or of whom it lets speak for it, is served', async () => {
  for (const [answers, expected] of [
    [{ by: 'authority' }, undefined],
    [{ by: 'deputy' }, undefined],
    [{ by: 'stranger' }, /not signed by the issuer/],
    [{ by: 'other' }, /not signed by the issuer/],
    [{ revoked: true }, /not said to be good/],
    [{ minutes: undefined }, /how long it holds/],
    [{ status: 404 }, /status 404/],
    [{ change: () => Buffer.from('<html>') }, /./],
    [{ change: (response: Buffer) => response.subarray(0, -1) }, /cut off/],
    [{ change: () => Buffer.from([0x30, 0x03, 0x0a, 0x01, 0x03]) }, /refused/],
    [{ change: forged }, /not signed by the issuer/],
  ] as const) {
    Object.assign(ocsp.answers, usual, answers)
    const found = await begin().found()
    if (expected) assert.match(String(found), expected)
    else assert.ok(Buffer.isBuffer(found), String(found))
  }
})

/** One bit of the times is another. Of the beginning of a time, so that no part of a key is taken for one. */
function forged(response: Buffer): Buffer {
  const changed = Buffer.from(response)
  const at = changed.lastIndexOf('\x18\x0f20', undefined, 'latin1')
  changed[at + 2] = 0x33
  return changed
}

test('a response for another certificate is not served', async () => {
  const found = await begin().found()
  assert.ok(Buffer.isBuffer(found))
  const id = certificateId(ocsp.leaf.der, ocsp.issuer)
  const read = (of: typeof id, now = Date.now()) => readResponse(found, of, ocsp.issuer, now)
  assert.ok(read(id) > Date.now())
  assert.throws(() => read({ ...id, serial: Buffer.from([1]) }), /another certificate/)
  assert.throws(() => read(id, Date.now() + 2 * HOUR), /does not hold now/)
  assert.throws(() => read(id, Date.now() - 2 * HOUR), /does not hold now/)
})

test('of a response that was changed, nothing that matters is believed', async () => {
  const found = await begin().found()
  assert.ok(Buffer.isBuffer(found))
  const id = certificateId(ocsp.leaf.der, ocsp.issuer)
  const now = Date.now()
  const read = (response: Buffer) => {
    try {
      return readResponse(response, id, ocsp.issuer, now)
    } catch (error) {
      assert.ok(error instanceof Error)
      return undefined
    }
  }
  const original = read(found)
  assert.ok(original)
  const at = fc.nat(found.length - 1)
  fc.assert(
    fc.property(at, fc.nat(255), at, (place, byte, end) => {
      const changed = Buffer.from(found)
      changed[place] = byte
      assert.deepEqual(read(changed) ?? original, original)
      assert.equal(read(found.subarray(0, end)), undefined)
    }),
    { numRuns: 200 },
  )
})

test('responders on private addresses are not asked', async () => {
  assert.match(String(await begin({ outbound: guarded }).found()), /not an address of the public internet/)
  assert.equal(ocsp.asked.length, 0)
})

test('certificates without a responder or an issuer are served as they are, and few are remembered', async () => {
  const { staples, find } = begin({ max: 1 })
  assert.equal(staples.find(ocsp.issuer, ocsp.issuer), undefined)
  assert.equal(staples.find(ocsp.leaf.der, null), undefined)
  await staples.settled()
  assert.equal(ocsp.asked.length, 0)
  assert.equal(staples.find(ocsp.issuer, ocsp.issuer), undefined)
  find()
  await staples.settled()
  assert.ok(find())
  staples.find(ocsp.issuer, ocsp.issuer)
  assert.equal(find(), undefined, 'it was the least recently used')
  await staples.settled()
})
