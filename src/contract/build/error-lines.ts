import { terminalText } from './terminal-text.ts'

/** A line of a build's log, whatever else is known of it. */
export interface BuildLine {
  readonly type: string
  readonly payload: { readonly text: string }
}

export interface ErrorLine<Line extends BuildLine> {
  /** Its place in the log, from 1. */
  readonly number: number
  readonly line: Line
}

const MOST = 6
/** An error and what belongs to it stand so close together. */
const APART = 4
/** At the beginning of a line, or as tools mark what they failed at. */
const ERROR =
  /^\W*(?:\[?(?:npm )?(?:err!|error)\b|fatal\b|panic\b|failed to |failed |cannot |can't |could not |module not found|unable to |undefined reference|\w*(?:Error|Exception)\b)|\berror(?: TS\d+)?:|ELIFECYCLE|: (?:command )?not found$|No such file or directory/i
/** Words of success that hold the word. */
const HARMLESS = /\b(?:0|no) errors?\b|error-free|--no-error/i
/** Where a program was when it failed: read after what it says. */
const FRAME = /^\s+at\s|^\s*$/

const textOf = (line: BuildLine): string => terminalText(line.payload.text)

/**
 * The lines of a build's log that say why it failed: the last errors in it, else how it ended. What is said already
 * beside them, `said`, is not said again.
 */
export function errorLinesOf<Line extends BuildLine>(
  lines: readonly Line[],
  dropped = 0,
  said: string | undefined = undefined,
): readonly ErrorLine<Line>[] {
  const texts = lines.map((line) => {
    const text = textOf(line)
    return said !== undefined && said !== '' && text.includes(said) ? '' : text
  })
  const isError = (at: number): boolean => {
    const text = texts[at] ?? ''
    return lines[at]?.type !== 'command' && ERROR.test(text) && !HARMLESS.test(text)
  }
  let last = texts.length - 1
  while (last >= 0 && !isError(last)) last--
  if (last < 0) return numbered(lines, dropped, endOf(texts))
  let first = last
  for (let at = last - 1; at >= 0 && first - at <= APART; at--) if (isError(at)) first = at
  const span = texts
    .map((_, at) => at)
    .filter((at) => at >= first && at <= last + 2 && !FRAME.test(texts[at] ?? ''))
  return numbered(lines, dropped, span.slice(0, MOST))
}

const endOf = (texts: readonly string[]): readonly number[] =>
  texts
    .map((_, at) => at)
    .filter((at) => (texts[at] ?? '').trim() !== '')
    .slice(-3)

const numbered = <Line extends BuildLine>(
  lines: readonly Line[],
  dropped: number,
  places: readonly number[],
): readonly ErrorLine<Line>[] =>
  places.flatMap((at) => {
    const line = lines[at]
    return line === undefined ? [] : [{ number: dropped + at + 1, line }]
  })
