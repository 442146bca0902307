import assert from 'node:assert/strict'
import { it } from 'node:test'
import { firstSerialOf, serialAfter, timeOfSerial } from './serial.ts'

it('is the milliseconds and a counter of six digits', () => {
  assert.equal(firstSerialOf(1_700_000_000_123), 1_700_000_000_123_000_000n)
  assert.equal(timeOfSerial('1700000000123000042'), 1_700_000_000_123)
  assert.equal(serialAfter(-1n, 5), 5_000_000n)
  assert.equal(serialAfter(5_000_000n, 7), 7_000_000n)
})

it('rises above the last one when the clock does not', () => {
  assert.equal(serialAfter(9_000_000n, 8), 9_000_001n)
  assert.equal(serialAfter(9_000_001n, 9), 9_000_002n)
  assert.equal(serialAfter(8_999_999n, 8), 9_000_000n)
})

it('stays within 64 bits, whatever time is asked for', () => {
  assert.ok(firstSerialOf(9_999_999_999_999) < 2n ** 63n)
  assert.ok(firstSerialOf(9_223_372_036_854) < 2n ** 63n)
})
