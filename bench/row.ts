import Table from 'cli-table3'

/** One line of the table that `npm run bench` prints. */
export interface Row {
  readonly id: string
  readonly what: string
  readonly measured: string
  /** Empty for a line that only explains another. */
  readonly target: string
  readonly met: boolean | undefined
}

/** A ratio that should not be smaller than its target. */
export const atLeast = (id: string, what: string, ratio: number, target: number): Row => ({
  id,
  what,
  measured: `${ratio.toFixed(2)} ×`,
  target: `≥ ${target} ×`,
  met: ratio >= target,
})

/** A ratio that should not be larger than its target. */
export const atMost = (id: string, what: string, ratio: number, target: number): Row => ({
  id,
  what,
  measured: `${ratio.toFixed(2)} ×`,
  target: `≤ ${target} ×`,
  met: ratio <= target,
})

/** A ratio without a target, beside one that has it. */
export const beside = (id: string, what: string, ratio: number): Row => ({
  id,
  what,
  measured: `${ratio.toFixed(2)} ×`,
  target: '',
  met: undefined,
})

export function printRows(rows: readonly Row[]): void {
  const table = new Table({
    head: ['', 'what', 'measured', 'target', ''],
    style: { head: [], border: [], compact: true },
  })
  for (const { id, what, measured, target, met } of rows)
    table.push([id, what, measured, target, met === undefined ? '' : met ? 'met' : 'missed'])
  console.log(table.toString())
}
