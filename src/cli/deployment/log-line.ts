import type { LogEvent } from '#client/log-events.ts'
import type { Colors } from '../output.ts'
import { plainText } from '../plain-text.ts'

/** An entry of the log for people: when, what, and its text. */
export function logLine({ type, created, payload }: LogEvent, colors: Colors): string {
  const at = new Date(payload.date || created).toISOString().replace('T', ' ').replace('Z', '')
  const text = plainText(payload.text)
  const isError = payload.level === 'error'
  const isBad = isError || (type === 'response' && /\b5\d\d\b/.test(text))
  const tint = isBad ? colors.red : (plain: string) => plain
  return `${colors.dim(`${at}  ${(isError ? 'stderr' : type).padEnd(8)}`)}  ${tint(text)}`.trimEnd()
}
