import assert from 'node:assert/strict'
import { test } from 'node:test'
import { variablesIn } from './inspect.ts'

test('variables of an example are found by their lines, however many of these are empty', () => {
  const text = `# Keys\nAPI_KEY=\n  export\tGREETING = "hello"\nnot a variable\n${'\n'.repeat(1_000_000)}LAST=1`
  assert.deepEqual(variablesIn(text), ['API_KEY', 'GREETING', 'LAST'])
})

test('a mark of the byte order before the first variable is none of its name', () => {
  assert.deepEqual(variablesIn('\uFEFFAPI_KEY=1\r\nOTHER=2'), ['API_KEY', 'OTHER'])
})
