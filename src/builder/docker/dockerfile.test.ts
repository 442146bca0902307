import assert from 'node:assert/strict'
import { it } from 'node:test'
import { argumentsOf, readInstructions, refuseFetching } from './dockerfile.ts'

it('puts the lines of an instruction together', () => {
  const text = '# a comment\nfrom x \\\n  # inside\n\n  as y\r\n\tRUN a \\\n b\nCMD c \\'
  assert.deepEqual(readInstructions(text, 'bld_1'), [
    { name: 'FROM', rest: 'x   as y' },
    { name: 'RUN', rest: 'a  b' },
    { name: 'CMD', rest: 'c' },
  ])
})

it('refuses what engines do not agree on', () => {
  for (const text of ['# escape=`\nFROM x', 'FROM x\nRUN a \\\\ \nADD b /', '\u0085ADD a /', '<b>'])
    assert.throws(() => readInstructions(text, 'bld_1'), { code: 'invalid_dockerfile', run: 'bld_1' }, text)
})

it('finds the names that are wanted', () => {
  const instructions = readInstructions('ARG ONE\nFROM x\narg TWO=a THREE="b c"\nENV FOUR=1', 'bld_1')
  const wanted = argumentsOf(instructions)
  for (const name of ['ONE', 'TWO', 'THREE']) assert.ok(wanted.has(name), name)
  assert.equal(wanted.has('FOUR'), false)
})

it('reads a name of any length once', () => {
  const long = 'a'.repeat(1_000_000)
  const wanted = argumentsOf(readInstructions(`ARG ${long}-b 1c=2 d`, 'bld_1'))
  assert.deepEqual([...wanted], ['b', 'c', 'd'])
})

it('refuses what would have the engine itself fetch something', () => {
  for (const line of [
    'ADD http://10.0.0.1/ /x',
    'add --chown=1:1 https://a/b /x',
    'ADD ["https://a/b", "/x"]',
    'ADD $WHERE /x',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the Dockerfile's own.
    'ADD h${T}tp:/a /x',
    'ONBUILD ADD http://a /x',
    'ADD \\\n# comment\nhttp://a /x',
    'ADD "http:"//a /x',
    'ADD http:\\//a /x',
    'ADD ["http:\\u002f/a", "/x"]',
  ])
    assert.throws(() => refuseFetching(readInstructions(`FROM x\n${line}`, 'bld_1'), 'bld_1'), {
      code: 'invalid_dockerfile',
      run: 'bld_1',
    })
  const plain = 'FROM x\nADD --chown=1 a.tar /x\nADD ["a b", "/x"]\nCOPY "$A" /b\nRUN wget http://a'
  refuseFetching(readInstructions(plain, 'bld_1'), 'bld_1')
})
