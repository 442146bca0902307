import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createOutputLines } from './output-lines.ts'
import { createRedactor } from './redact.ts'

const ESC = String.fromCharCode(27)

function linesOf(output: Buffer | string, secrets: readonly string[] = [], cuts: readonly number[] = []) {
  const bytes = Buffer.from(output as string)
  const lines = createOutputLines(createRedactor(secrets))
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return [
    ...borders.slice(1).flatMap((border, i) => lines.take(bytes.subarray(borders[i], border))),
    ...lines.end(),
  ]
}

describe('output of commands', () => {
  it('becomes lines, the last without its end too', () => {
    assert.deepEqual(linesOf('one\ntwo\r\n\nthree'), ['one', 'two', '', 'three'])
    assert.deepEqual(linesOf(''), [])
  })

  it('shows what was written over only once', () => {
    assert.deepEqual(linesOf('10%\r20%\r100%\ndone\n'), ['100%', 'done'])
    assert.deepEqual(linesOf(`10%${ESC}[2K${ESC}[1G100%\n`), ['100%'])
    assert.deepEqual(linesOf('10%\r100%\r'), ['100%'])
  })

  it('keeps colours and nothing else that a terminal would obey', () => {
    const title = `${ESC}]0;title${String.fromCharCode(7)}`
    assert.deepEqual(linesOf(`${ESC}[31mred${ESC}[0m${ESC}[2J${title}\tx${String.fromCharCode(8)}\n`), [
      `${ESC}[31mred${ESC}[0m\tx`,
    ])
  })

  it('is the same however it is cut into chunks, and never holds a secret', () => {
    const secret = 's3cr\u00e9t-value'
    const word = fc.constantFrom(
      secret,
      'ordinary',
      '\r',
      '\n',
      'é',
      `${ESC}[1m`,
      '\u{1F600}',
      secret.slice(0, 5),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 10 }), (words, cuts) => {
        const whole = linesOf(words.join(''), [secret])
        assert.deepEqual(linesOf(words.join(''), [secret], cuts), whole)
        assert.ok(!whole.join('\n').includes(secret))
      }),
      { numRuns: 200 },
    )
  })

  it('keeps a line whose end comes in pieces, and is not held up by returns without end', () => {
    assert.deepEqual(linesOf('é\r\r\n', [], [4]), ['é'])
    assert.deepEqual(linesOf(`${'\r'.repeat(2_000_000)}x\ndone`), ['x', 'done'])
  })

  it('gives endless lines in parts, never with part of a secret at the cut', () => {
    const secret = 'the-secret-of-this-test'
    for (const at of [16_384 - 10, 16_384 - 1, 16_384, 16_384 + 10]) {
      const text = `${'a'.repeat(at)}${secret}${'b'.repeat(40_000)}`
      for (const cuts of [[], [at + 3], [16_384, 20_000]]) {
        const lines = linesOf(text, [secret], cuts)
        assert.ok(lines.length > 2 && lines.every((line) => line.length <= 16_384 + 10))
        assert.equal(lines.join(''), text.replace(secret, '[redacted]'))
      }
    }
  })

  it('holds no more than a line of progress that never ends', () => {
    const lines = createOutputLines(createRedactor([]))
    for (let i = 0; i < 10_000; i++) assert.deepEqual(lines.take(Buffer.from(`${'#'.repeat(20)} ${i}\r`)), [])
    assert.deepEqual(lines.end(), [`${'#'.repeat(20)} 9999`])
  })
})
