import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesNoCommand, wordsOf } from './globals.ts'

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

test('options alone, or a folder, are no command', () => {
  for (const line of [
    '',
    '--prod',
    '--json',
    '--team acme --prod',
    '--token=x',
    '--name shop',
    './dist',
    '../a',
    '/srv/a',
    'a/b',
  ])
    assert.ok(namesNoCommand(line.split(' ').filter(Boolean)), line)
  for (const line of ['ls', '--help', '--json -h', '-V', '--team acme ls', '--json token ls', 'dist'])
    assert.ok(!namesNoCommand(line.split(' ')), line)
})
