import { GlobError, MOST_ALTERNATIVES } from './glob-error.ts'

/**
 * What a pattern with braces stands for: `a.{js,ts}` for `a.js` and `a.ts`, `{1..3}` for three numbers.
 * Braces multiply, so that a short text can stand for thousands of patterns: past a bound it is refused.
 */
export function expandBraces(text: string): readonly string[] {
  const found = firstGroup(text)
  if (!found) return [text]
  const { before, parts, after } = found
  const tails = expandBraces(after)
  return bounded(
    parts.flatMap(expandBraces).flatMap((part) => tails.map((tail) => `${before}${part}${tail}`)),
  )
}

interface Group {
  readonly before: string
  readonly parts: readonly string[]
  readonly after: string
}

/** The first pair of braces that has a comma or a range between. Others are ordinary characters. */
function firstGroup(text: string): Group | undefined {
  for (let open = text.indexOf('{'); open !== -1; open = text.indexOf('{', open + 1)) {
    const close = text[open - 1] === '$' ? undefined : closing(text, open)
    if (close === undefined) continue
    const inner = text.slice(open + 1, close)
    const parts = split(inner)
    const all = parts.length > 1 ? parts : rangeOf(inner)
    if (all) return { before: text.slice(0, open), parts: bounded(all), after: text.slice(close + 1) }
  }
  return undefined
}

function closing(text: string, open: number): number | undefined {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++
    else if (text[at] === '}' && --depth === 0) return at
  }
  return undefined
}

/** At the commas that stand in no inner braces. */
function split(inner: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < inner.length; at++) {
    const char = inner[at]
    if (char === '{') depth++
    else if (char === '}') depth--
    else if (char === ',' && depth === 0) {
      parts.push(inner.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, inner.slice(from)]
}

const NUMBERS = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?$/
const LETTERS = /^([a-zA-Z])\.\.([a-zA-Z])(?:\.\.(-?\d{1,9}))?$/

function rangeOf(inner: string): readonly string[] | undefined {
  const numbers = NUMBERS.exec(inner)
  if (numbers) {
    const [, first = '', last = '', step] = numbers
    const width = [first, last].some((end) => /^-?0\d/.test(end)) ? Math.max(first.length, last.length) : 0
    return steps(Number(first), Number(last), step).map((value) =>
      value < 0 ? `-${String(-value).padStart(width - 1, '0')}` : String(value).padStart(width, '0'),
    )
  }
  const letters = LETTERS.exec(inner)
  if (!letters) return undefined
  const [, first = '', last = '', step] = letters
  return steps(first.charCodeAt(0), last.charCodeAt(0), step).map((code) => String.fromCharCode(code))
}

function steps(first: number, last: number, given: string | undefined): readonly number[] {
  const step = Math.max(1, Math.abs(Number(given ?? 1)))
  const count = Math.floor(Math.abs(last - first) / step) + 1
  if (count > MOST_ALTERNATIVES) throw tooMany()
  return Array.from({ length: count }, (_, i) => first + i * step * (last < first ? -1 : 1))
}

const tooMany = (): GlobError => new GlobError(`its braces expand to more than ${MOST_ALTERNATIVES} patterns`)

function bounded(list: readonly string[]): readonly string[] {
  if (list.length > MOST_ALTERNATIVES) throw tooMany()
  return list
}
