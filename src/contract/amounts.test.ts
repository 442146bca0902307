import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showBytes, showDuration, showLimit, showMemory, timeLeft } from './amounts.ts'

test('sizes have three digits at the most', () => {
  assert.deepEqual([0, 999, 1000, 1440, 99_940, 99_950, 999_499, 999_500, 5e9].map(showBytes), [
    '0 B',
    '999 B',
    '1.0 KB',
    '1.4 KB',
    '99.9 KB',
    '100 KB',
    '999 KB',
    '1.0 MB',
    '5.0 GB',
  ])
})

test('limits are said in the powers that they are of', () => {
  const limits = [0, 900, 1000, 2 ** 10, 2 ** 18, 10e6, 2 ** 20, 1.5 * 2 ** 30, 8 * 2 ** 30, 5e9, 1e9, 1e12]
  assert.deepEqual(limits.map(showLimit), [
    '0 bytes',
    '900 bytes',
    '1000 bytes',
    '1 KiB',
    '256 KiB',
    '10 MB',
    '1 MiB',
    '1.5 GiB',
    '8 GiB',
    '5 GB',
    '1 GB',
    '1 TB',
  ])
  assert.equal(showLimit(5_123_456_789), '4.8 GiB')
  assert.deepEqual([128, 1024, 1536, 10_240].map(showMemory), ['128 MiB', '1 GiB', '1.5 GiB', '10 GiB'])
})

test('durations have one or two units, and never sixty of one', () => {
  assert.deepEqual(
    [0, 850, 999.7, 1000, 9960, 33_900, 59_700, 180_000, 200_400, 3_599_700, 7_500_000, 273_600_000].map(
      showDuration,
    ),
    [
      '0 ms',
      '850 ms',
      '1.0 s',
      '1.0 s',
      '10 s',
      '34 s',
      '1 min',
      '3 min',
      '3 min 20 s',
      '1 h',
      '2 h 5 min',
      '3 d 4 h',
    ],
  )
})

test('the rest takes as long as the part before it did, for its size', () => {
  assert.equal(timeLeft(25, 100, 60_000), 'about 3 min left')
  assert.equal(timeLeft(25, 100, 10_000), 'about 30 s left')
  assert.equal(timeLeft(990, 1000, 10_000), 'about 1 s left')
})

test('nothing is foretold at the beginning, at the end, or where nothing has come', () => {
  assert.deepEqual(
    [timeLeft(1, 100, 500), timeLeft(0, 100, 60_000), timeLeft(100, 100, 60_000), timeLeft(5, 0, 10_000)],
    ['', '', '', ''],
  )
})
