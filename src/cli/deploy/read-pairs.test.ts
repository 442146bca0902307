import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CliError } from '../exit.ts'
import { readPairs } from './read-pairs.ts'

test('a value may hold anything, and a name alone takes its value from the environment', () => {
  assert.equal(readPairs('--env', []), undefined)
  assert.deepEqual(readPairs('--env', ['A=1', 'B=x=y z', 'C=', 'D', 'A=2'], { D: 'own' }), {
    A: '2',
    B: 'x=y z',
    C: '',
    D: 'own',
  })
})

test('what is no pair is refused without repeating what may be a secret', () => {
  const refused = (text: string, env: Record<string, string> | undefined, message: RegExp) =>
    assert.throws(
      () => readPairs('--env', [text], env),
      (error) =>
        error instanceof CliError && message.test(error.message) && !error.message.includes('s3cret'),
    )
  refused('KEY', {}, /KEY is not set in your environment/)
  refused('=s3cret', {}, /should be KEY=value/)
  refused('my s3cret', {}, /should be KEY=value/)
  refused('s3cret', undefined, /should be KEY=value/)
})
