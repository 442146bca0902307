import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { it } from 'node:test'
import { LineBudget, readLines } from './output-lines.ts'

async function linesOf(...chunks: readonly (string | Buffer)[]): Promise<readonly string[]> {
  const lines: string[] = []
  const stream = new PassThrough()
  readLines(stream, (line) => lines.push(line))
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  await finished(stream)
  return lines
}

it('puts lines together from chunks, the last one without its end too', async () => {
  const [first, second] = [Buffer.from('é'), Buffer.from('é')]
  assert.deepEqual(
    await linesOf('a\nb', 'c\r\n\n', Buffer.concat([first.subarray(0, 1)]), second.subarray(1), '\nend'),
    ['a', 'bc', '', 'é', 'end'],
  )
})

it('cuts long lines, however they arrive', async () => {
  const lines = await linesOf('x'.repeat(7000), 'x'.repeat(7000), 'x'.repeat(7000), '\nafter\n')
  assert.deepEqual(
    lines.map((line) => line.length),
    [8192, 5],
  )
})

it('lets so many lines through at once and so many a second, long ones counting for more', () => {
  let now = 0
  const told: string[] = []
  const budget = new LineBudget({ now: () => now, write: (text) => told.push(text), rate: 10, burst: 5 })
  const taken = (count: number, text = '') =>
    Array.from({ length: count }, () => budget.take(text)).filter(Boolean).length
  assert.equal(taken(8), 5)
  budget.flush()
  assert.deepEqual(told, ['… 3 lines dropped'])
  now += 300
  assert.equal(taken(8), 3)
  now += 10_000
  assert.equal(taken(8, 'x'.repeat(4096)), 1)
  budget.flush()
  assert.deepEqual(told, ['… 3 lines dropped', '… 12 lines dropped'])
  budget.flush()
  assert.equal(told.length, 2)
})
