import { stripVTControlCharacters } from 'node:util'
import type { Colors } from './output.ts'

/** Text of others, made safe for a terminal: a name cannot move the cursor or start a line of its own. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text).replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')

const ESC = String.fromCharCode(27)
const COLOUR = new RegExp(`(${ESC}\\[[0-9;:]*m)`)

/** A line that a program wrote: its colours stay where there are any, and nothing else that a terminal would obey. */
export function colouredText(line: string, colors: Pick<Colors, 'isColorSupported'>): string {
  const parts = line.split(COLOUR)
  if (parts.length === 1 || !colors.isColorSupported) return plainText(line.replaceAll('\t', '  '))
  return `${parts.map((part, i) => (i % 2 === 1 ? part : plainText(part.replaceAll('\t', '  ')))).join('')}${ESC}[0m`
}
