import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOutput } from './output.ts'
import { whileSpinning } from './spinner.ts'

function outputTo({ isTTY = false, json = false }) {
  const written: string[] = []
  const stderr = { isTTY, columns: 80, write: (text: string | Uint8Array) => written.push(String(text)) }
  return { written, out: createOutput({ stdout: { write() {} }, stderr, env: {}, json }) }
}

test('a terminal sees a line that moves with the time that has passed, and nothing of it is left', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: 1_000_000 })
  const { written, out } = outputTo({ isTTY: true })
  const answer = await whileSpinning({ out, now: Date.now }, 'Requesting', async () => {
    assert.match(written.join(''), /Requesting…$/)
    t.mock.timers.tick(3000)
    assert.match(written.at(-1) ?? '', /Requesting… 3 s$/)
    return 'done'
  })
  assert.equal(answer, 'done')
  assert.equal(written.at(-1), '\r\u001b[2K')
  const before = written.length
  t.mock.timers.tick(3000)
  assert.equal(written.length, before, 'nothing is drawn afterwards')
})

test('elsewhere it is said once, and not at all beside JSON', async () => {
  const [plain, json] = [outputTo({}), outputTo({ json: true })]
  for (const { out } of [plain, json])
    await assert.rejects(
      whileSpinning({ out, now: Date.now }, 'Requesting', () => Promise.reject(new Error('refused'))),
      /refused/,
    )
  assert.deepEqual(plain.written, ['Requesting…\n'])
  assert.deepEqual(json.written, [])
})
