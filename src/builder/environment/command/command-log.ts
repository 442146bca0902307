import type { Readable } from 'node:stream'
import { cutText } from '#core/log/cut-text.ts'
import type { BuildLog } from '#core/log/write/build-log.ts'
import { createOutputLines } from './output-lines.ts'
import type { Redactor } from './redact.ts'

/** What an entry of the log holds. */
const ENTRY_BYTES = 4096
/** Entries on their way to the store. */
const UNDER_WAY = 256

interface LogBudget {
  readonly lines: number
  readonly bytes: number
}

/** The log of a build, as its commands write to it: without secrets, in pieces, no faster than it is stored, bounded. */
export interface CommandLog {
  command(log: BuildLog, line: string): Promise<void>
  note(log: BuildLog, line: string): Promise<void>
  /** Resolves when the stream has ended and all of it is stored. */
  follow(log: BuildLog | undefined, stream: Readable): Promise<void>
}

export function createCommandLog(redactor: Redactor, budget: LogBudget): CommandLog {
  let { lines: linesLeft, bytes: bytesLeft } = budget
  let announced = false
  const underWay = new Set<Promise<void>>()

  /** Resolves once there is room for more. */
  async function save(saving: Promise<void>): Promise<void> {
    const done = saving.finally(() => underWay.delete(done))
    underWay.add(done)
    if (underWay.size < UNDER_WAY) return
    const [oldest] = underWay
    await oldest
  }

  async function write(log: BuildLog, line: string): Promise<void> {
    for (let rest = line; ; ) {
      const piece = cutText(rest, ENTRY_BYTES)
      linesLeft--
      bytesLeft -= piece.length
      if (linesLeft < 0 || bytesLeft < 0) {
        if (!announced) await save(log.stdout('The log is full: further output is omitted.'))
        announced = true
        return
      }
      await save(log.stdout(piece))
      rest = rest.slice(piece.length)
      if (rest === '' || piece === '') return
    }
  }

  async function pass(log: BuildLog, lines: readonly string[]): Promise<void> {
    for (const line of lines) if (!announced) await write(log, line)
  }

  return {
    async command(log, line) {
      await log.command(cutText(redactor.redact(line), ENTRY_BYTES))
    },
    async note(log, line) {
      await log.stdout(cutText(redactor.redact(line), ENTRY_BYTES))
    },
    async follow(log, stream) {
      if (log === undefined) {
        for await (const _ of stream);
        return
      }
      const output = createOutputLines(redactor)
      for await (const chunk of stream) if (!announced) await pass(log, output.take(chunk as Buffer))
      await pass(log, output.end())
      await Promise.all(underWay)
    },
  }
}
