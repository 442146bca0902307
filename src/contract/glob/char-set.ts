/** `[a-z]`, `[!a-z]`, `[[:digit:]]`. */
export interface CharSet {
  /** After the closing bracket. */
  readonly end: number
  readonly negated: boolean
  readonly ranges: readonly (readonly [first: number, last: number])[]
  readonly classes: readonly RegExp[]
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /^[\p{L}\p{Nl}\p{Nd}]$/u,
  alpha: /^[\p{L}\p{Nl}]$/u,
  ascii: /^\p{ASCII}$/u,
  blank: /^[\p{Zs}\t]$/u,
  cntrl: /^\p{Cc}$/u,
  digit: /^\p{Nd}$/u,
  graph: /^[^\p{Z}\p{C}]$/u,
  lower: /^\p{Ll}$/u,
  print: /^[^\p{C}]$/u,
  punct: /^\p{P}$/u,
  space: /^[\p{Z}\t\r\n\v\f]$/u,
  upper: /^\p{Lu}$/u,
  word: /^[\p{L}\p{Nl}\p{Nd}\p{Pc}]$/u,
  xdigit: /^[A-Fa-f0-9]$/,
}
const CLASS = /\[:([a-z]{5,6}):\]/y

/** The set that begins at a place; undefined when there is none, or it is not closed. */
export function readCharSet(text: string, at: number): CharSet | undefined {
  if (text[at] !== '[') return undefined
  const negated = text[at + 1] === '!' || text[at + 1] === '^'
  const begin = at + (negated ? 2 : 1)
  const ranges: [number, number][] = []
  const classes: RegExp[] = []
  for (let i = begin; i < text.length; ) {
    if (text[i] === ']' && i > begin) return { end: i + 1, negated, ranges, classes }
    CLASS.lastIndex = i
    const named = CLASS.exec(text)
    const known = named && CLASSES[named[1] as string]
    if (named && known) {
      classes.push(known)
      i += named[0].length
      continue
    }
    const first = text.charCodeAt(i)
    const isRange = text[i + 1] === '-' && i + 2 < text.length && text[i + 2] !== ']'
    // One that runs backwards has no characters in it.
    ranges.push([first, isRange ? text.charCodeAt(i + 2) : first])
    i += isRange ? 3 : 1
  }
  return undefined
}

export const isInSet = ({ negated, ranges, classes }: CharSet, code: number): boolean =>
  negated !==
  (ranges.some(([first, last]) => code >= first && code <= last) ||
    (classes.length > 0 && classes.some((test) => test.test(String.fromCharCode(code)))))
