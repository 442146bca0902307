import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { createCommandLog } from './command-log.ts'
import { createRedactor } from './redact.ts'

function recorder() {
  const lines: string[] = []
  const log = {
    command: async (line: string) => void lines.push(`$ ${line}`),
    stdout: async (line: string) => void lines.push(line),
  }
  return { lines, log }
}

const UNBOUNDED = { lines: 1e9, bytes: 1e9 }

describe('the log of commands', () => {
  it('holds commands and output without secrets, in pieces that an entry can hold', async () => {
    const { lines, log } = recorder()
    const commands = createCommandLog(createRedactor(['hunter22']), UNBOUNDED)
    await commands.command(log, 'login hunter22')
    await commands.follow(log, Readable.from([Buffer.from(`hunter22\n${'é'.repeat(5000)}\n`)]))
    assert.deepEqual(lines.slice(0, 2), ['$ login [redacted]', '[redacted]'])
    assert.equal(lines.slice(2).join(''), 'é'.repeat(5000))
    assert.ok(lines.every((line) => Buffer.byteLength(line) <= 4096))
  })

  it('ends with one notice when it is full, and goes on reading', async () => {
    for (const budget of [
      { lines: 3, bytes: 1e9 },
      { lines: 1e9, bytes: 12 },
    ]) {
      const { lines, log } = recorder()
      const commands = createCommandLog(createRedactor([]), budget)
      const source = Readable.from(Array.from({ length: 100 }, () => Buffer.from('four\n')))
      await commands.follow(log, source)
      await commands.follow(log, Readable.from([Buffer.from('more\n')]))
      assert.ok(source.readableEnded)
      assert.deepEqual(lines.slice(0, -1), Array(lines.length - 1).fill('four'))
      assert.match(lines.at(-1) ?? '', /log is full/)
      assert.ok(lines.length <= 4)
    }
  })

  it('reads no faster than lines are stored', async () => {
    let waiting: (() => void)[] = []
    let most = 0
    const log = {
      command: async () => {},
      stdout: () =>
        new Promise<void>((resolve) => {
          waiting.push(resolve)
          most = Math.max(most, waiting.length)
          if (waiting.length === 1)
            setImmediate(() => {
              for (const settle of waiting.splice(0)) settle()
            })
        }),
    }
    let read = 0
    async function* output() {
      for (; read < 5000; read++) yield Buffer.from('x\n')
    }
    await createCommandLog(createRedactor([]), UNBOUNDED).follow(log, Readable.from(output()))
    assert.equal(read, 5000)
    assert.ok(most <= 256, String(most))
    waiting = []
  })
})
