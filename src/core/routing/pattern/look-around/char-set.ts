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

export function createCharSet(
  ranges: readonly Range[],
  { isNegated = false, isCaseSensitive }: { readonly isNegated?: boolean; readonly isCaseSensitive: boolean },
): CharSet {
  const merged = mergeRanges(ranges)
  const isIn = (point: number) =>
    inRanges(merged, point) ||
    (!isCaseSensitive && otherCases(point).some((other) => inRanges(merged, other)))
  const ascii = new Uint8Array(ASCII_SIZE)
  for (let point = 0; point < ASCII_SIZE; point++) if (isIn(point) !== isNegated) ascii[point] = 1
  return { has: (point) => (point < ASCII_SIZE ? ascii[point] === 1 : isIn(point) !== isNegated) }
}

/** All characters that are not in the ranges. */
export function complement(ranges: readonly Range[]): readonly Range[] {
  const gaps: Range[] = []
  let next = 0
  for (const [first, last] of mergeRanges(ranges)) {
    if (first > next) gaps.push([next, first - 1])
    next = last + 1
  }
  if (next <= MAX_POINT) gaps.push([next, MAX_POINT])
  return gaps
}

export const isWord = (point: number | undefined): boolean => point !== undefined && inRanges(WORD, point)

/** In order, and none of them touches another. */
function mergeRanges(ranges: readonly Range[]): readonly Range[] {
  const merged: [number, number][] = []
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const previous = merged.at(-1)
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last)
    else merged.push([first, last])
  }
  return merged
}

/** The ranges are in order: however many they are, a look at few of them is enough. */
function inRanges(ranges: readonly Range[], point: number): boolean {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const [first, last] = ranges[middle] ?? [0, 0]
    if (point < first) high = middle
    else if (point > last) low = middle + 1
    else return true
  }
  return false
}

/** The same for all cases of a character. */
const fold = (point: number): number => toCase(toCase(point, 'toUpperCase'), 'toLowerCase')

const otherCases = (point: number): readonly number[] =>
  (point < ASCII_SIZE ? ASCII_CASES[point] : beyondAscii().get(point)) ?? NONE

const NONE: readonly number[] = []

/** Two letters have a case beyond ASCII. */
const KELVIN_SIGN = 0x212a
const LONG_S = 0x17f

const ASCII_CASES: readonly (readonly number[])[] = Array.from({ length: ASCII_SIZE }, (_, point) => {
  const lower = fold(point)
  const upper = toCase(lower, 'toUpperCase')
  const beyond = lower === 0x6b ? [KELVIN_SIGN] : lower === 0x73 ? [LONG_S] : []
  return lower === upper ? [] : [lower, upper, ...beyond].filter((other) => other !== point)
})

let cases: ReadonlyMap<number, readonly number[]> | undefined

/** Found out when the first text with such a character is tried, because that takes a while. */
function beyondAscii(): ReadonlyMap<number, readonly number[]> {
  cases ??= findCases()
  return cases
}

/** The other cases of each character that has some. */
function findCases(): ReadonlyMap<number, readonly number[]> {
  const byFolded = new Map<number, number[]>()
  for (let start = 0; start <= LAST_CASED; start += BLOCK) {
    const block = String.fromCodePoint(...Array.from({ length: BLOCK }, (_, index) => start + index))
    for (const [char] of block.matchAll(/\p{Changes_When_Casemapped}/gu)) {
      const point = char.codePointAt(0) ?? 0
      const folded = fold(point)
      byFolded.set(folded, [...(byFolded.get(folded) ?? []), point])
    }
  }
  const others = new Map<number, readonly number[]>()
  for (const cases of byFolded.values())
    for (const point of cases) {
      const rest = cases.filter((other) => other !== point)
      if (rest.length > 0) others.set(point, rest)
    }
  return others
}

/** Beyond the last letter of the scripts that have cases. */
const LAST_CASED = 0x1ffff
const BLOCK = 1024

function toCase(point: number, change: 'toUpperCase' | 'toLowerCase'): number {
  const text = String.fromCodePoint(point)
  const changed = text[change]()
  const [first = text, ...more] = changed
  return more.length > 0 ? point : (first.codePointAt(0) ?? point)
}
