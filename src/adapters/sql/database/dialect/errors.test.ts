import assert from 'node:assert/strict'
import { it } from 'node:test'
import { AloftError } from '#contract/errors.ts'
import { convertError, isRepeatable, isUniqueViolation } from './errors.ts'

const fromServer = (code: string) => Object.assign(new Error('said the server'), { severity: 'ERROR', code })
const fromSqlite = (errcode: number) =>
  Object.assign(new Error('said SQLite'), { code: 'ERR_SQLITE_ERROR', errcode })
const fromSocket = (code: string) => Object.assign(new Error('said the socket'), { code })

const kindOf = (error: unknown) => {
  const converted = convertError(error)
  return converted instanceof AloftError ? converted.kind : converted
}

it('calls a lost, full or overloaded database unavailable, and keeps the reason', () => {
  const gone = [
    ...['ECONNREFUSED', 'EPIPE', 'ENOENT'].map(fromSocket),
    ...['57P01', '08006', '53300', '57014', '40P01', '55P03', '25006'].map(fromServer),
    ...[5, 261, 517, 13, 10, 778].map(fromSqlite),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
  ]
  for (const error of gone) {
    assert.equal(kindOf(error), 'service_unavailable', error.message)
    assert.equal((convertError(error) as AloftError).cause, error)
  }
})

it('tells a unique violation of either database', () => {
  for (const error of [fromServer('23505'), fromSqlite(1555), fromSqlite(2067)]) {
    assert.ok(isUniqueViolation(error))
    assert.equal(kindOf(error), 'conflict')
  }
  for (const error of [fromServer('23503'), fromSqlite(787), fromSocket('23505'), undefined])
    assert.equal(isUniqueViolation(error), false)
})

it('tells that what a row belongs to is gone, on either database', () => {
  for (const error of [fromServer('23503'), fromSqlite(787)]) assert.equal(kindOf(error), 'not_found')
})

it('passes on what it does not know, and what is converted already', () => {
  const known = new AloftError('not_found', 'no')
  for (const error of [
    known,
    new TypeError('a mistake'),
    fromServer('42601'),
    fromSqlite(1),
    'text',
    undefined,
  ])
    assert.equal(convertError(error), error)
})

it('repeats only what the server undid to let another transaction pass', () => {
  assert.ok(isRepeatable(convertError(fromServer('40001'))))
  assert.ok(isRepeatable(convertError(fromServer('40P01'))))
  assert.equal(isRepeatable(convertError(fromServer('57P01'))), false)
  assert.equal(isRepeatable(convertError(fromSocket('EPIPE'))), false)
  assert.equal(isRepeatable(new Error('40001')), false)
})
