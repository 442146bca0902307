import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEnv as parseAsNode } from 'node:util'
import { parseEnv, writeEnv } from './parse-env.ts'

const read = (text: string) =>
  Object.fromEntries(parseEnv(text).entries.map(({ key, value }) => [key, value]))

test('assignments are read with comments, export and blanks around them', () => {
  const text =
    '\uFEFF# a comment\r\nA=1\n\n export B = two words # why\nC=a#b\nD=\n  E=x=y\n#F=6\nG= # nothing'
  assert.deepEqual(read(text), { A: '1', B: 'two words', C: 'a#b', D: '', E: 'x=y', G: '' })
  assert.deepEqual(parseEnv(text).problems, [])
})

test('quoted values keep what they hold, over several lines where they have them', () => {
  const text = [
    `A='$x # "kept" \\n'`,
    'B="one\\ntwo \\"q\\" \\$y \\d"  # said',
    'KEY="-----BEGIN-----',
    'abc',
    '-----END-----"',
    'C=`it\'s "fine"`',
    'D=after',
  ].join('\n')
  assert.deepEqual(read(text), {
    A: '$x # "kept" \\n',
    B: 'one\ntwo "q" $y \\d',
    KEY: '-----BEGIN-----\nabc\n-----END-----',
    C: 'it\'s "fine"',
    D: 'after',
  })
})

test('what cannot be read is told by its line, and the rest is read', () => {
  const { entries, problems } = parseEnv('A=1\nnonsense\nMY-KEY=2\nB="x" y\nC=3\nD="open\nE=5')
  assert.deepEqual(
    entries.map(({ key, line }) => [key, line]),
    [
      ['A', 1],
      ['C', 5],
      ['E', 7],
    ],
  )
  assert.deepEqual(
    problems.map(({ line }) => line),
    [2, 3, 4, 6],
  )
})

test('of a name that is there twice the last counts', () => {
  assert.deepEqual(parseEnv('A=1\nB=2\nA=3').entries, [
    { line: 2, key: 'B', value: '2' },
    { line: 3, key: 'A', value: '3' },
  ])
})

test('what is written reads as the same again', () => {
  const values = ['', 'plain', 'two words', "it's", 'a\nb', 'a\r\nb\\', '"$x" `y` \\n', '#x', ' \'\n" ']
  const entries = values.map((value, at) => ({ key: `K${at}`, value }))
  assert.deepEqual(
    parseEnv(writeEnv(entries)).entries.map(({ key, value }) => ({ key, value })),
    entries,
  )
})

test('what is written reads as the same in programs that read such files', () => {
  const account = '{\n  "type": "service",\n  "key": "-----BEGIN\\n$x\\n"\n}'
  for (const value of ['', 'two words', "it's", "it's\na \\n", 'C:\\new $HOME', '"x" `y`', '# x', account])
    assert.deepEqual(
      {
        ...parseAsNode(
          writeEnv([
            { key: 'K', value },
            { key: 'NEXT', value: '1' },
          ]),
        ),
      },
      { K: value, NEXT: '1' },
    )
})
