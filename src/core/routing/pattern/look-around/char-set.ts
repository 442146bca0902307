/** The characters that one place of a pattern takes, by code point. */
export interface CharSet {
  has(point: number): boolean
}

/** From the first code point to the last. */
export type Range = readonly [number, number]

export const ANY: CharSet = { has: () => true }

export const DIGITS: readonly Range[] = [[0x30, 0x39]]
export const WORD: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]
export const SPACE: readonly Range[] = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
]

const MAX_POINT = 0x10ffff
const ASCII_SIZE = 128
/** Of so many characters the other cases are worked out one by one; in longer runs they are mostly in it as well. */
const MAX_FOLDED = 2048

export function createCharSet(
  ranges: readonly Range[],
  { isNegated = false, isCaseSensitive }: { readonly isNegated?: boolean; readonly isCaseSensitive: boolean },
): CharSet {
  const folded = isCaseSensitive ? new Set<number>() : foldAll(ranges)
  const isIn = (point: number) => inRanges(ranges, point) || (folded.size > 0 && folded.has(fold(point)))
  const ascii = Uint8Array.from({ length: ASCII_SIZE }, (_, point) => Number(isIn(point) !== isNegated))
  return { has: (point) => (point < ASCII_SIZE ? ascii[point] === 1 : isIn(point) !== isNegated) }
}

/** All characters that are not in the ranges. */
export function complement(ranges: readonly Range[]): readonly Range[] {
  const gaps: Range[] = []
  let next = 0
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (first > next) gaps.push([next, first - 1])
    next = Math.max(next, last + 1)
  }
  if (next <= MAX_POINT) gaps.push([next, MAX_POINT])
  return gaps
}

export const isWord = (point: number | undefined): boolean => point !== undefined && inRanges(WORD, point)

const inRanges = (ranges: readonly Range[], point: number): boolean =>
  ranges.some(([first, last]) => point >= first && point <= last)

function foldAll(ranges: readonly Range[]): ReadonlySet<number> {
  const folded = new Set<number>()
  for (const [first, last] of ranges)
    for (let point = first; point <= last && folded.size < MAX_FOLDED; point++) folded.add(fold(point))
  return folded
}

/** The same for all cases of a character. */
const fold = (point: number): number => toCase(toCase(point, 'toUpperCase'), 'toLowerCase')

function toCase(point: number, change: 'toUpperCase' | 'toLowerCase'): number {
  const text = String.fromCodePoint(point)
  const changed = text[change]()
  const [first = text, ...more] = changed
  return more.length > 0 ? point : (first.codePointAt(0) ?? point)
}
