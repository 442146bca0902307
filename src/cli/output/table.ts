import { stripVTControlCharacters } from 'node:util'
import Table from 'cli-table3'
import type { Colors } from './output.ts'
import { plainText } from './plain-text.ts'

const BARE = {
  chars: {
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    middle: '   ',
  },
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
}

const draw = (rows: readonly (readonly string[])[]): string => {
  const table = new Table(BARE)
  for (const row of rows) table.push([...row])
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** A cell in a colour. Its text is made safe first: a colour is ours to give, never the text's. */
export interface Tinted {
  readonly text: string
  readonly tint: (text: string) => string
}
export type Cell = string | Tinted

const drawn = (cell: Cell): string =>
  typeof cell === 'string' ? plainText(cell) : cell.tint(plainText(cell.text))

/** Fewer than these say too little. */
const FEWEST_COLUMNS = 2

/**
 * Where it is too wide for the terminal, columns are left out from the right, because the most telling ones come
 * first. A pipe gets all of them.
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  colors: Colors,
  width = Number.POSITIVE_INFINITY,
): string {
  const cells = [head.map((title) => colors.dim(title)), ...rows.map((row) => row.map(drawn))]
  for (let columns = head.length; ; columns--) {
    const table = draw(cells.map((row) => row.slice(0, columns)))
    if (columns <= FEWEST_COLUMNS || table.split('\n').every((line) => widthOf(line) <= width)) return table
  }
}

/** Near enough: letters that take two places count as one. */
const widthOf = (line: string): number => [...stripVTControlCharacters(line)].length

/** One thing as aligned lines of a name and a value. */
export function renderFacts(
  facts: readonly (readonly [name: string, value: Cell])[],
  colors: Colors,
): string {
  return draw(facts.map(([name, value]) => [colors.dim(name), drawn(value)]))
}
