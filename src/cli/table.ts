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

export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  colors: Colors,
): string {
  return draw([head.map((title) => colors.dim(title)), ...rows.map((row) => row.map(plainText))])
}

/** One thing as aligned lines of a name and a value. */
export function renderFacts(
  facts: readonly (readonly [name: string, value: string])[],
  colors: Colors,
): string {
  return draw(facts.map(([name, value]) => [colors.dim(name), plainText(value)]))
}
