const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Whether a text of JSON nests lists and objects within each other further than so many levels. It is looked at before it is parsed:
 * each level takes a hundred times the memory of its two characters, and most of a second for a few megabytes of them.
 */
export function isNestedDeeper(text: string, levels: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfText(text, at)
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > levels) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
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
