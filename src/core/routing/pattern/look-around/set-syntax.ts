import { type CharSet, complement, createCharSet, DIGITS, type Range, SPACE, WORD } from './char-set.ts'

const ESCAPE = /\\(?:x\{([0-9a-f]+)\}|x([0-9a-f]{2})|u([0-9a-f]{4})|c([a-z])|(.))/isuy
const CLASSES: Readonly<Record<string, readonly Range[]>> = {
  d: DIGITS,
  w: WORD,
  s: SPACE,
  D: complement(DIGITS),
  W: complement(WORD),
  S: complement(SPACE),
}
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, a: 7 }

/** Reads an escape such as `\d`; throws an Error that says what is wrong with it. */
export const readEscape = (text: string, isCaseSensitive: boolean): CharSet =>
  createCharSet(readItem(text, 0).ranges, { isCaseSensitive })

/** Reads what stands in brackets, with them. */
export function readSet(text: string, isCaseSensitive: boolean): CharSet {
  const isNegated = text.startsWith('[^')
  const end = text.length - 1
  const ranges: Range[] = []
  for (let at = isNegated ? 2 : 1; at < end; ) {
    const item = readItem(text, at)
    at = item.end
    if (text[at] !== '-' || at + 1 >= end) {
      ranges.push(...item.ranges)
      continue
    }
    const last = readItem(text, at + 1)
    at = last.end
    if (item.point === undefined || last.point === undefined || item.point > last.point)
      throw new Error(`${text.slice(0, 40)} has an invalid range`)
    ranges.push([item.point, last.point])
  }
  return createCharSet(ranges, { isNegated, isCaseSensitive })
}

interface Item {
  readonly ranges: readonly Range[]
  /** Undefined if it is more than one character. */
  readonly point: number | undefined
  readonly end: number
}

function readItem(text: string, at: number): Item {
  if (text.startsWith('[:', at)) throw new Error('named classes are not supported together with look-around')
  if (text[at] !== '\\') {
    const point = text.codePointAt(at) ?? 0
    return single(point, at + (point > 0xffff ? 2 : 1))
  }
  ESCAPE.lastIndex = at
  const [, ...groups] = ESCAPE.exec(text) ?? []
  const [braced, byte, unit, control, char = ''] = groups
  const end = ESCAPE.lastIndex
  const hex = braced ?? byte ?? unit
  if (hex !== undefined) return single(readHex(hex), end)
  if (control !== undefined) return single(control.toUpperCase().charCodeAt(0) - 64, end)
  const ranges = CLASSES[char]
  if (ranges !== undefined) return { ranges, point: undefined, end }
  const point = CONTROLS[char] ?? (/[A-Za-z0-9]/.test(char) ? undefined : char.codePointAt(0))
  if (point === undefined) throw new Error(`\\${char} is not supported together with look-around`)
  return single(point, end)
}

const single = (point: number, end: number): Item => ({ ranges: [[point, point]], point, end })

function readHex(hex: string): number {
  const point = Number.parseInt(hex, 16)
  if (point > 0x10ffff) throw new Error(`\\x{${hex.slice(0, 10)}} is not a character`)
  return point
}
