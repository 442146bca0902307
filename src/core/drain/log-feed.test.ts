import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { LogEntry } from '../log/log-entry.ts'
import { createLogFeed, type LogFeed } from './log-feed.ts'

/** A log of entries with these serials, which counts how often it is read. */
function createLog(serials: number[]) {
  const log = {
    serials,
    reads: 0,
    async after(serial: string, limit: number): Promise<readonly LogEntry[]> {
      log.reads++
      const next = log.serials.filter((it) => it > Number(serial)).slice(0, limit)
      await new Promise(setImmediate)
      return next.map((it) => ({ serial: String(it) }) as LogEntry)
    },
  }
  return log
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

async function readAll(feed: LogFeed, from: number): Promise<number[]> {
  const found: number[] = []
  for (let position = String(from); ; ) {
    const entries = await feed.after(position)
    const last = entries.at(-1)
    if (last === undefined) return found
    found.push(...entries.map(({ serial }) => Number(serial)))
    position = last.serial
  }
}

it('gives everybody everything in order, wherever they are', async () => {
  const log = createLog(upTo(12_000))
  const feed = createLogFeed(log)
  const starts = [0, 11_999, 3, 6000, 12_000, 12_001]
  const found = await Promise.all(starts.map((from) => readAll(feed, from)))
  for (const [i, from] of starts.entries()) assert.deepEqual(found[i], log.serials.slice(from), String(from))
  log.serials.push(12_001, 12_002)
  for (const from of starts)
    assert.deepEqual(await readAll(feed, from), log.serials.slice(from), String(from))
})

it('reads the log once for all who keep up with it', async () => {
  const log = createLog(upTo(1000))
  const feed = createLogFeed(log)
  await Promise.all(upTo(20).map(() => readAll(feed, 0)))
  const { reads } = log
  assert.ok(reads <= 30, String(reads))
  await readAll(feed, 0)
  // The end alone is looked for again.
  assert.equal(log.reads, reads + 1)
})

it('goes on after a read that failed', async () => {
  const log = createLog(upTo(3))
  let failing = true
  const feed = createLogFeed({
    after: (...asked) => (failing ? Promise.reject(new Error('away')) : log.after(...asked)),
  })
  const both = await Promise.allSettled([feed.after('0'), feed.after('0')])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  failing = false
  assert.deepEqual(await readAll(feed, 0), [1, 2, 3])
})
