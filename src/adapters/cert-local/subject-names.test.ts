import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjectNames } from './subject-names.ts'

test('names are told apart from addresses, put in lower case and kept once', () => {
  assert.deepEqual(subjectNames(['Example.com', '*.example.com', '127.0.0.1', '::1', 'example.COM']), [
    { type: 'dns', value: 'example.com' },
    { type: 'dns', value: '*.example.com' },
    { type: 'ip', value: '127.0.0.1' },
    { type: 'ip', value: '::1' },
  ])
})

test('what is no host name is refused by name', () => {
  const wrong = [
    '',
    '*',
    'a..b',
    '-a.example',
    'a-.example',
    'a.*.example',
    'a b',
    'ü.example',
    'a/b',
    '[::1]',
  ]
  wrong.push(`${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}example`)
  for (const name of wrong)
    assert.throws(() => subjectNames([name]), { message: `Neither a host name nor an IP address: "${name}"` })
})

test('a certificate without names is refused', () => {
  assert.throws(() => subjectNames([]), /at least one name/)
})
