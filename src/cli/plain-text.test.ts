import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainText } from './plain-text.ts'

test('names of others cannot steer the terminal', () => {
  assert.equal(plainText('\u001b[31mred\u001b[0m'), 'red')
  assert.equal(plainText('a\u001b]0;title\u0007b'), 'ab')
  assert.equal(plainText('one\ntwo\rthree\u0000'), 'one two three ')
  assert.equal(plainText('evil\u202egpj.exe'), 'evil gpj.exe')
})

test('ordinary text of any script stays', () => {
  for (const text of ['Acme Inc.', 'Größe', '日本語', '👩‍💻']) assert.equal(plainText(text), text)
})
