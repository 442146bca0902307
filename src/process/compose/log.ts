import { writeSync } from 'node:fs'
import { stderr } from 'node:process'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { codeOf } from '#adapters/fs/error-code.ts'
import { terminalText } from '#contract/build/terminal-text.ts'
import { type Log, SECRET_FIELDS } from '#core/ports/log.ts'

/** Where secrets could slip into a log line. */
const REDACT = SECRET_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

/** Logs go to stderr, as JSON lines; a person at a terminal gets something easier to read. */
export function createLog(level: string, name: string): Log {
  const options = {
    level,
    base: { process: name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: REDACT, censor: '[redacted]' },
  }
  return pino(options, stderr.isTTY ? readable() : { write: createWriteLine() })
}

/** How long a pipe that is full is left to its reader, and how often before that counts as one who reads no more. */
const BUSY_MS = 100
const MOST_WAITS = 10
const NEVER = new Int32Array(new SharedArrayBuffer(4))
const NOTHING = Buffer.alloc(0)

/**
 * Writes at once, so that a process that dies has told why. What cannot be written is left out: sites are served although the
 * disk that the log is on is full, nobody reads it any more, or whoever reads it stands still, as a pager does.
 */
function createWriteLine(): (line: string) => void {
  let isRead = true
  /** The end of a line whose beginning was written. */
  let begun = NOTHING
  return (line) => {
    const text = Buffer.from(line)
    let rest = Buffer.concat([begun, text])
    let waits = isRead ? MOST_WAITS : 0
    while (rest.length > 0)
      try {
        rest = rest.subarray(writeSync(stderr.fd, rest))
        waits = MOST_WAITS
      } catch (error) {
        if (codeOf(error) !== 'EAGAIN') rest = NOTHING
        else if (waits-- === 0) break
        else Atomics.wait(NEVER, 0, 0, BUSY_MS)
      }
    isRead = rest.length === 0
    begun = rest.length < text.length ? rest : rest.subarray(0, rest.length - text.length)
  }
}

const LEVELS: Record<number, string> = { 20: 'debug', 30: 'info ', 40: 'WARN ', 50: 'ERROR' }

function readable(): Writable {
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      // The terminal may have been closed.
      stderr.write(readableLine(line), () => done())
    },
  })
}

/**
 * One entry for a terminal. Names and errors in it may be a visitor's or a tenant's words: they neither look like another
 * entry nor move a cursor.
 */
export function readableLine(line: string): string {
  const { time, level, msg, process: name, pid: _pid, err, ...rest } = JSON.parse(line)
  const fields = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const first = `${time.slice(11, 19)} ${LEVELS[level] ?? level} ${name} ${msg} ${fields.join(' ')}`
  const reason = err ? String(err.stack ?? err.message).split('\n') : []
  return [inOneLine(first), ...reason.map((one) => `  ${inOneLine(one)}`), ''].join('\n')
}

const inOneLine = (text: string): string => terminalText(text.replace(/[\r\n\u2028\u2029]+/g, ' '))
