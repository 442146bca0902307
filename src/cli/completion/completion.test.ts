import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, test } from 'node:test'
import { startMachine } from '../cli-testing.ts'
import { COMMANDS } from '../commands.ts'

const machine = await startMachine()
after(() => machine[Symbol.asyncDispose]())
const script = async (shell: string) => (await machine.run(['completion', shell])).stdout

test('bash offers what can follow, past options and their values', async () => {
  const lines = [
    '',
    'do',
    'domains ',
    'domains a',
    '--team domains cer',
    'teams members ',
    'env add X --sen',
    'ls --team ',
  ]
  const asked = lines.map((line) => {
    const words = ['aloft', ...line.split(' ')]
    return `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _aloft; echo "\${COMPREPLY[*]}"`
  })
  const { stdout, stderr } = spawnSync('bash', ['--norc'], {
    input: `${await script('bash')}\n${asked.join('\n')}\n`,
    encoding: 'utf8',
  })
  assert.equal(stderr, '')
  const [top = '', ...rest] = stdout.split('\n')
  for (const { name } of COMMANDS) assert.ok(top.split(' ').includes(name.split(' ')[0] ?? ''), name)
  assert.deepEqual(rest, [
    'domains',
    'ls add verify inspect attach detach set price buy transfer-in rm',
    'add attach',
    'certs',
    'ls add role rm',
    '--sensitive',
    '',
    '',
  ])
})

test('zsh and fish know every command, its options and what they mean', async () => {
  for (const shell of ['zsh', 'fish']) {
    const text = await script(shell)
    for (const { name } of COMMANDS) assert.ok(text.includes(`' ${name}'`), `${shell}: ${name}`)
    assert.match(text, /--reveal.{1,4}show the values/)
  }
})

test('another shell is wrong usage, and programs get the script as JSON', async () => {
  const { code, stderr } = await machine.run(['completion', 'tcsh'])
  assert.equal(code, 2)
  assert.match(stderr, /should be one of bash, zsh, fish/)
  const json = await machine.run(['completion', 'bash', '--json'])
  assert.deepEqual(JSON.parse(json.stdout).shell, 'bash')
})
