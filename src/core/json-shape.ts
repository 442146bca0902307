const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c

interface JsonLimits {
  /** Of lists and objects within each other. */
  readonly levels: number
  /** Items of lists and keys of objects, all together; a list or an object without any is one as well. */
  readonly parts: number
}

/** Of what is parsed at once. Nothing that is meant is nested so deep, and long lists are parsed in pieces. */
export const MOST_AT_ONCE: JsonLimits = { levels: 100, parts: 250_000 }

/**
 * What a text of JSON has too much of. It is looked at before it is parsed: a list, an object or a key may take a hundred times the
 * memory of its few characters, and a few megabytes of them seconds. So may what is done with each of millions of numbers.
 */
export function excessOf(text: string, { levels, parts } = MOST_AT_ONCE): keyof JsonLimits | undefined {
  let depth = 0
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfText(text, at)
    else if (code === 0x5b || code === 0x7b || code === COMMA) {
      if (code !== COMMA && ++depth > levels) return 'levels'
      if (++count > parts) return 'parts'
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return undefined
}

/** Of the closing quote; the end where there is none. */
function endOfText(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}
