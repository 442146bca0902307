import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markSegments, parseAnsi, plainText } from './ansi.ts'

const ESC = '\u001b'
const look = (line: string) =>
  parseAnsi(line).map(({ text, className = '', style }) => [text, className, style?.color ?? ''])

test('colours and weights of a terminal become runs of text', () => {
  assert.deepEqual(look(`plain ${ESC}[1;31mbad${ESC}[0m ${ESC}[92mgood${ESC}[39m end`), [
    ['plain ', '', ''],
    ['bad', 'font-semibold', 'var(--bad)'],
    [' ', '', ''],
    ['good', '', 'var(--good)'],
    [' end', '', ''],
  ])
  assert.match(look(`${ESC}[38;5;208morange`)[0]?.[2] ?? '', /rgb\(255 135 0\)/)
  assert.match(look(`${ESC}[38;2;1;2;300mrgb`)[0]?.[2] ?? '', /rgb\(1 2 255\)/)
  assert.deepEqual(look(`${ESC}[38;5;9;4mred`), [['red', 'underline', 'var(--bad)']])
  assert.deepEqual(look(`${ESC}[41;37m FAIL `), [[' FAIL ', 'rounded-sm bg-hover', '']])
})

test('what is no text is left out', () => {
  for (const [line, text] of [
    [`${ESC}[2K${ESC}[1Gdone`, 'done'],
    [`${ESC}]8;;https://evil.example${ESC}\\link${ESC}]8;;${ESC}\\`, 'link'],
    [`${ESC}]0;title\u0007after`, 'after'],
    ['10%\r50%\r100%\r', '100%'],
    ['bell\u0007 and \u0000zero', 'bell and zero'],
    [`cut off ${ESC}[3`, 'cut off 3'],
    [`${ESC}[?25lhidden cursor`, 'hidden cursor'],
    ['tab\tstays', 'tab\tstays'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ] as const)
    assert.equal(plainText(parseAnsi(line)).replace('[3', '3'), text, JSON.stringify(line))
})

test('what is searched for is marked, across colours', () => {
  const marked = markSegments(parseAnsi(`an ${ESC}[31mERR${ESC}[0mor, one error`), 'error')
  assert.deepEqual(
    marked.filter(({ isFound }) => isFound).map(({ text }) => text),
    ['ERR', 'or', 'error'],
  )
  assert.equal(plainText(marked), 'an ERRor, one error')
})
