import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Command, matching } from './matching.ts'

const command = (label: string, group: string, more: object = {}): Command =>
  ({ id: label + group, label, group, icon: 'box', run: () => {}, ...more }) as Command

const COMMANDS = [
  command('Settings: Environment variables', 'shop', { words: 'env secrets', isNear: true }),
  command('Settings: Protection', 'shop', { words: 'password sso', isNear: true }),
  command('Logs', 'shop', { words: 'requests console', isNear: true }),
  command('envoy', 'Project'),
  command('blog', 'Project'),
  command('Secrets', 'Page', { words: 'env encrypted' }),
  command('Log drains', 'Page', { words: 'logs forward' }),
  command('shop.example.com', 'Domain'),
]
const found = (typed: string) => matching(COMMANDS, typed).map(({ label }) => label)

test('synonyms find settings, those of the open project first', () => {
  assert.deepEqual(found('env').slice(0, 2), ['Settings: Environment variables', 'envoy'])
  assert.deepEqual(found('password'), ['Settings: Protection'])
  assert.deepEqual(found('logs'), ['Logs', 'Log drains'])
})

test('every word has to be found, and a whole name is what is meant', () => {
  assert.deepEqual(found('shop example'), ['shop.example.com'])
  assert.equal(found('blog')[0], 'blog')
  assert.deepEqual(found('nothing'), [])
  assert.equal(found('').length, COMMANDS.length)
})
