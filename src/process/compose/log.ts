import { stderr } from 'node:process'
import { Writable } from 'node:stream'
import { pino } from 'pino'
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
  const destination = stderr.isTTY ? readable() : pino.destination({ dest: 2, sync: true })
  return pino(options, destination)
}

const LEVELS: Record<number, string> = { 20: 'debug', 30: 'info ', 40: 'WARN ', 50: 'ERROR' }

function readable(): Writable {
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      stderr.write(readableLine(line), done)
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
