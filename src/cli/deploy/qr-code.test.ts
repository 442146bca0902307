import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { encode } from 'uqr'
import { qrCode } from './qr-code.ts'

const TEXT = 'http://shop-a1b2c3d4e.localhost:3000'

/** The squares that the lines draw, row by row. */
const squares = (drawn: string): boolean[][] =>
  stripVTControlCharacters(drawn)
    .split('\n')
    .flatMap((line) => [
      [...line].map((mark) => mark === '█' || mark === '▀'),
      [...line].map((mark) => mark === '█' || mark === '▄'),
    ])

test('every square of the code is drawn: dark ones with colours, light ones without', () => {
  const { data, size } = encode(TEXT, { ecc: 'M', border: 2 })
  assert.deepEqual(squares(qrCode(TEXT, true)).slice(0, size), data)
  const light = data.map((row) => row.map((dark) => !dark))
  assert.deepEqual(squares(qrCode(TEXT, false)).slice(0, size), light)
  assert.ok(!qrCode(TEXT, false).includes('\u001b'))
})
