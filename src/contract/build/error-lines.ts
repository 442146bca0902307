import { terminalText } from './terminal-text.ts'

/** A line of a build's log, whatever else is known of it. */
export interface BuildLine {
  readonly type: string
  readonly payload: { readonly text: string }
}

interface ErrorLine<Line extends BuildLine> {
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
/** Before each line of a package, in a repository of several: `web:build: ` or `apps/web build: `. */
const PACKAGE = /^[@\w./-]+[: ][\w:.-]+: /
/** That a command failed, as what ran it says, long after what the command said itself. */
const AFTERWARDS =
  /^\W*(?:npm (?:error|ERR!) (?:Lifecycle|code (?:\d|ELIFECYCLE)|errno|path|workspace|location|command)\b|ERROR +(?:run failed|command)\b|ELIFECYCLE|\w*ERR_PNPM_RECURSIVE|error Command failed|Error: Command ".*" exited with \d)|^[^\s#]+#[^\s#]+: +ERROR\b/
/** So far from the end, what the command said itself is looked for. */
const REACH = 80
/** Words of success that hold the word. */
const HARMLESS = /\b(?:0|no) errors?\b|error-free|--no-error/i
/** Where a program was when it failed: read after what it says. */
const FRAME = /^\s+at\s|^\s*$/

/** Of a line: what says why a build failed is short. */
const LOOKED_AT = 2000

const textOf = (line: BuildLine): string => terminalText(line.payload.text.slice(0, LOOKED_AT))

/**
 * The lines of a build's log that say why it failed: the last errors in it, else how it ended. What is said already
 * beside them, `said`, is not said again.
 */
export function errorLinesOf<Line extends BuildLine>(
  lines: readonly Line[],
  dropped = 0,
  said?: string,
): readonly ErrorLine<Line>[] {
  const texts = lines.map((line) => {
    const text = textOf(line)
    return said !== undefined && said !== '' && text.includes(said) ? '' : text
  })
  const isError = (at: number): boolean => {
    const text = texts[at] ?? ''
    return lines[at]?.type !== 'command' && says(ERROR, text) && !HARMLESS.test(text)
  }
  const errors = texts.map((_, at) => at).filter(isError)
  const own = errors.filter((at) => !says(AFTERWARDS, texts[at] ?? ''))
  let group = lastOf(errors)
  if (group === undefined) return numbered(lines, dropped, endOf(texts))
  const { first, last } = group
  if (!own.some((at) => at >= first)) {
    const before = lastOf(own)
    if (before && last - before.last <= REACH) group = before
  }
  const { first: from, last: to } = group
  const span = texts
    .map((_, at) => at)
    .filter((at) => at >= from && at <= to + 2 && !says(FRAME, texts[at] ?? ''))
  return numbered(lines, dropped, span.slice(0, MOST))
}

const says = (what: RegExp, text: string): boolean => what.test(text) || what.test(text.replace(PACKAGE, ''))

/** The last of these places, and those before it that stand close together. */
function lastOf(places: readonly number[]): { readonly first: number; readonly last: number } | undefined {
  const last = places.at(-1)
  if (last === undefined) return undefined
  let first = last
  for (const at of places.toReversed()) if (first - at <= APART) first = at
  return { first, last }
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
