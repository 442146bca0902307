import type { LogEvent } from '#client/follow/log-events.ts'
import { count } from '#contract/words/wording.ts'
import { localTime } from '../../output/local-time.ts'
import type { Colors } from '../../output/output.ts'
import { colouredText } from '../../output/plain-text.ts'

/** The program that hosts functions, in the stack of an error, and what it is called by: nothing that its reader wrote. */
const LAUNCHER_FRAME = /^\s+at .*\/(?:aloft\/launcher|src\/launcher)\//
const NODE_FRAME = /^\s+at .*\(?node:[\w/]+:\d+:\d+\)?$/

const isResponse = ({ type }: LogEvent): boolean => type === 'response'

const momentOf = ({ created, payload }: LogEvent): number => payload.date || created

/** One entry for people: when, and its text. What was written during a request is indented. */
export function logLine(entry: LogEvent, colors: Colors, at = momentOf(entry)): string {
  const { type, payload } = entry
  const text = colouredText(payload.text, colors)
  const isError = payload.level === 'error'
  const isBad = isError || (isResponse(entry) && /\b5\d\d\b/.test(text))
  const tint = isBad ? colors.red : (plain: string) => plain
  const mark = isError ? `${colors.red('stderr')} ` : type === 'command' ? '$ ' : ''
  const indent = type === 'stdout' && payload.requestId !== undefined ? '  │ ' : ''
  return `${colors.dim(localTime(at))}  ${colors.dim(indent)}${mark}${tint(text)}`.trimEnd()
}

/**
 * Entries as people read them: a line for each request, in the order in which they began, and below it what was written
 * meanwhile. The frames of the launcher in a stack are folded.
 */
export function logLines(entries: readonly LogEvent[], colors: Colors): string[] {
  const answered = new Set(entries.filter(isResponse).map(({ payload }) => payload.requestId))
  const began = new Map<string, LogEvent>()
  for (const entry of entries)
    if (entry.type === 'request' && entry.payload.requestId !== undefined)
      began.set(entry.payload.requestId, entry)
  const written = new Map<string, LogEvent[]>()
  const heads: { readonly at: number; readonly entry: LogEvent }[] = []
  for (const entry of entries) {
    const { requestId } = entry.payload
    const isKnown = requestId !== undefined && (answered.has(requestId) || began.has(requestId))
    if (entry.type === 'request' && answered.has(requestId)) continue
    if (entry.type === 'stdout' && isKnown) written.set(requestId, [...(written.get(requestId) ?? []), entry])
    else heads.push({ at: momentOf((isResponse(entry) && began.get(requestId ?? '')) || entry), entry })
  }
  return heads
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ entry, at }) => [
      logLine(entry, colors, at),
      ...(entry.type === 'stdout' ? [] : fold(written.get(entry.payload.requestId ?? '') ?? [], colors)),
    ])
}

function fold(entries: readonly LogEvent[], colors: Colors): string[] {
  const lines: string[] = []
  let folded = 0
  const end = () => {
    if (folded > 0)
      lines.push(colors.dim(`${' '.repeat(25)}  │     … ${count(folded, 'frame')} of Aloft and Node.js`))
    folded = 0
  }
  for (const entry of entries)
    if (LAUNCHER_FRAME.test(entry.payload.text)) folded++
    // Below the launcher comes what it is called by; above it, what the function calls.
    else if (folded > 0 && NODE_FRAME.test(entry.payload.text)) folded++
    else {
      end()
      lines.push(logLine(entry, colors))
    }
  end()
  return lines
}
