import assert from 'node:assert/strict'
import { test } from 'node:test'
import { colouredText, plainText } from './plain-text.ts'

test('names of others cannot steer the terminal', () => {
  assert.equal(plainText('\u001b[31mred\u001b[0m'), 'red')
  assert.equal(plainText('a\u001b]0;title\u0007b'), 'ab')
  assert.equal(plainText('one\ntwo\rthree\u0000'), 'one two three ')
  assert.equal(plainText('evil\u202egpj.exe'), 'evil gpj.exe')
})

test('ordinary text of any script stays', () => {
  for (const text of ['Acme Inc.', 'Größe', '日本語', '👩‍💻']) assert.equal(plainText(text), text)
})

test('a line of a program keeps its colours where there are any, and nothing else', () => {
  const line = '\u001b[31mred\u001b[39m\u001b[2Kgone\tpast'
  assert.equal(colouredText(line, { isColorSupported: true }), '\u001b[31mred\u001b[39mgone  past\u001b[0m')
  assert.equal(colouredText(line, { isColorSupported: false }), 'redgone  past')
})
