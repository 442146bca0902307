import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordsOf } from './globals.ts'

test('global options and their values may stand anywhere around the words', () => {
  const words = ['token', 'create', 'ci']
  for (const line of [
    'token create ci',
    '--json token create ci',
    '--base-url http://x token --team login create ci',
    '--base-url=http://x token create --yes ci -y',
    '--token whoami -- token create ci',
  ])
    assert.deepEqual(wordsOf(line.split(' ')), words, line)
})
