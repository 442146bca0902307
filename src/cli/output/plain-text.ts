import { stripVTControlCharacters } from 'node:util'

/** Text of others, made safe for a terminal: a name cannot move the cursor or start a line of its own. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text).replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')

const ESC = String.fromCharCode(27)
const COLOUR = `${ESC}\\[[0-9;:]*m`
const COLOURS = new RegExp(`(${COLOUR})`)
const OURS = new RegExp(`(\\r?\\n|\\t|${COLOUR})`)

/**
 * All that is written to a terminal, so that a text of others which nobody made safe is only shown: lines, tabs and colours, which are
 * ours, stay.
 */
export const safeText = (text: string): string =>
  text
    .split(OURS)
    .map((part, i) => (i % 2 === 1 ? part : plainText(part)))
    .join('')

/** The same JSON, in which nothing is left that a terminal obeys: JSON itself escapes only some of it. */
export const safeJson = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A line that a program wrote: its colours stay where there are any, and nothing else that a terminal would obey. */
export function colouredText(line: string, colors: { readonly isColorSupported: boolean }): string {
  const parts = line.split(COLOURS)
  if (parts.length === 1 || !colors.isColorSupported) return plainText(line.replaceAll('\t', '  '))
  return `${parts.map((part, i) => (i % 2 === 1 ? part : plainText(part.replaceAll('\t', '  ')))).join('')}${ESC}[0m`
}
