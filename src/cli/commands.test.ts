import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { COMMANDS, canonical, findEntry, GROUPS, knownName } from './commands.ts'
import { cliDocs } from './help/cli-docs.ts'

test('words lead to a command or to the innermost group they name', () => {
  assert.equal(findEntry(['tokens', 'create', 'ls'])?.name, 'tokens create')
  assert.equal(findEntry(['tokens']), undefined)
  assert.equal(knownName(['teams', 'members', 'nope']), 'teams members')
  assert.equal(knownName(['nope']), undefined)
})

test('words from elsewhere lead to the same commands', () => {
  assert.deepEqual(canonical(['token', 'create', 'token']), ['tokens', 'create', 'token'])
  assert.deepEqual(canonical(['team', 'members', 'invite', 'jo']), ['teams', 'members', 'add', 'jo'])
  assert.deepEqual(canonical(['list']), ['ls'])
  assert.deepEqual(canonical(['resume', 'shop']), ['unpause', 'shop'])
  assert.deepEqual(canonical(['constructor']), ['constructor'])
})

test('every command can be loaded, says what it does and gives examples of itself', async () => {
  for (const { name, load } of COMMANDS) {
    const { command } = await load()
    assert.ok(command.examples.length > 0, name)
    for (const [line] of command.examples) assert.equal(findEntry(line.split(' '))?.name, name, line)
  }
})

test('every group is described, and no command is the beginning of another', () => {
  for (const { name } of COMMANDS) {
    const words = name.split(' ')
    for (let count = 1; count < words.length; count++) {
      const group = words.slice(0, count).join(' ')
      assert.ok(group in GROUPS, group)
      assert.equal(findEntry(group.split(' ')), undefined)
    }
  }
  for (const [name, { examples }] of Object.entries(GROUPS))
    for (const [line] of examples) assert.ok(findEntry(line.split(' ')), `${name}: ${line}`)
})

test('docs/cli.md is what the commands say', async () => {
  const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
  assert.equal(page, await cliDocs(), 'run `npm run docs`')
})
