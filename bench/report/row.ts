import Table from 'cli-table3'

/** One line of the table that `npm run bench` prints. */
export interface Row {
  readonly id: string
  readonly what: string
  readonly measured: string
  /** Empty for a line that only explains another. */
  readonly target: string
  readonly met: boolean | undefined
  /** The same in numbers, for plots and for programs. */
  readonly chart?: Chart
  /** What each of several runs measured, where this is the middle one. */
  readonly runs?: readonly string[]
  /** What was measured again and again, for a picture of its own. */
  readonly curve?: Curve
}

export interface Curve {
  /** Part of the name of the picture's file. */
  readonly name: string
  readonly title: string
  readonly unit: string
  readonly lines: readonly {
    readonly label: string
    /** How much was done, and what was measured then. */
    readonly points: readonly (readonly [number, number])[]
  }[]
}

export interface Chart {
  readonly value: number
  readonly target: number | undefined
  readonly better: 'more' | 'less'
  /** The least and the most of all rounds. */
  readonly spread?: readonly [number, number]
  /** Ours and theirs, where the value is a ratio of two rates. */
  readonly rates?: readonly [number, number]
}

/** A ratio that should not be smaller than its target. */
export const atLeast = (id: string, what: string, ratio: number, target: number): Row => ({
  id,
  what,
  measured: `${ratio.toFixed(2)} ×`,
  target: `≥ ${target} ×`,
  met: ratio >= target,
  chart: { value: ratio, target, better: 'more' },
})

/** A ratio that should not be larger than its target. */
export const atMost = (id: string, what: string, ratio: number, target: number): Row => ({
  id,
  what,
  measured: `${ratio.toFixed(2)} ×`,
  target: `≤ ${target} ×`,
  met: ratio <= target,
  chart: { value: ratio, target, better: 'less' },
})

/** A ratio without a target, beside one that has it. */
export const beside = (id: string, what: string, ratio: number): Row => ({
  id,
  what,
  measured: `${ratio.toFixed(2)} ×`,
  target: '',
  met: undefined,
  chart: { value: ratio, target: undefined, better: 'more' },
})

/** Above what `cellsOf` says of a row. */
export const COLUMNS = ['', 'what', 'measured', 'each run', 'spread', 'rates', 'target', ''] as const

export function cellsOf(row: Row): string[] {
  const { id, what, measured, target } = row
  return [id, what, measured, runsOf(row), spreadOf(row), ratesOf(row), target, verdictOf(row)]
}

export function printRows(rows: readonly Row[]): void {
  const table = new Table({ head: [...COLUMNS], style: { head: [], border: [], compact: true } })
  for (const row of rows) table.push(cellsOf(row))
  console.log(table.toString())
}

const spreadOf = ({ chart }: Row): string =>
  chart?.spread ? chart.spread.map((ratio) => ratio.toFixed(2)).join('–') : ''

const ratesOf = ({ chart }: Row): string =>
  chart?.rates ? chart.rates.map((rate) => Math.round(rate).toLocaleString('en')).join(' : ') : ''

const runsOf = ({ runs }: Row): string => runs?.join(', ') ?? ''

const verdictOf = ({ met }: Row): string => (met === undefined ? '' : met ? 'met' : 'missed')
