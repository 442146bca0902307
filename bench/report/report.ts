import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { Counts } from '#core/counts.ts'
import { plot, plotCurve } from './plot.ts'
import { COLUMNS, type Curve, cellsOf, type Row } from './row.ts'

const docs = resolve(import.meta.dirname, '../../docs')
const PAGE = join(docs, 'performance.md')
const DATA = join(docs, 'performance.json')
const PICTURE = join(docs, 'performance.svg')
const [BEGIN, END] = ['<!-- written by `npm run bench -- --write` -->', '<!-- to here -->']

/** What a run measured, and where. */
export interface Report {
  readonly at: string
  readonly machine: string
  readonly node: string
  readonly rows: readonly Row[]
}

export const reportOf = (rows: readonly Row[]): Report => ({
  at: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim() || 'core'}, ${process.arch}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}`,
  node: process.version,
  rows,
})

const pictureOf = ({ name }: Curve): string => `performance-${name}.svg`

const numberOf = (id: string): number => Number(id.slice(1))

/** A line that only explains another has no id, and stays with the one before it. */
function groups(rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>()
  let last = ''
  for (const row of rows) {
    last = row.id || last
    found.set(last, [...(found.get(last) ?? []), row])
  }
  return found
}

/** What was measured now takes the place of what was before, and the rest stays. */
export function merged(before: readonly Row[], now: readonly Row[]): Row[] {
  const all = new Map([...groups(before), ...groups(now)])
  return [...all].sort(([a], [b]) => numberOf(a) - numberOf(b)).flatMap(([, rows]) => rows)
}

/** What another machine or another Node measured is no part of the same table. */
export const keptOf = (before: Report, now: Report): readonly Row[] =>
  before.machine === now.machine && before.node === now.node ? before.rows : []

/** Of each row that all runs have, the one in the middle; of two runs, the worse. */
export function middleOfRuns(runs: readonly Report[]): Report {
  const [first, ...others] = runs
  if (first === undefined) throw new Error('there is no run')
  if (others.some((run) => keptOf(run, first) !== run.rows))
    throw new Error('the runs are of different machines, or of different versions of Node')
  const named = runs.map(
    ({ rows }) => new Map(namesOf(rows).map((name, index) => [name, rows[index] as Row])),
  )
  const rows = namesOf(first.rows).flatMap((name) => {
    const each = named.flatMap((run) => run.get(name) ?? [])
    if (each.length < runs.length) return []
    const sorted = each.toSorted((a, b) => goodness(b) - goodness(a))
    const middle = sorted[Math.floor(sorted.length / 2)] as Row
    return runs.length === 1 ? middle : { ...middle, runs: each.map(({ measured }) => measured) }
  })
  const at =
    runs
      .map((run) => run.at)
      .sort()
      .at(-1) ?? first.at
  return { ...first, at, rows }
}

/** What a row is called in every run, whatever numbers it names and whoever disturbed it. One without an id belongs to the one before. */
function namesOf(rows: readonly Row[]): string[] {
  let last = ''
  const seen = new Counts()
  return rows.map(({ id, what }) => {
    last = id || last
    const name = `${last} ${what.replace(/, while others had .*/, '').replaceAll(/\d[\d.,]*/g, '#')}`
    seen.add(name, 1)
    return `${name} ${seen.of(name)}`
  })
}

function goodness({ chart, measured, target }: Row): number {
  const value = chart?.value ?? Number.parseFloat(measured.replaceAll(',', ''))
  const isMoreBetter = chart === undefined ? target.startsWith('≥') : chart.better === 'more'
  return isMoreBetter ? value : -value
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

export const tableOf = (rows: readonly Row[]): string =>
  [
    `|${COLUMNS.map((name) => ` ${name} |`).join('')}`.replaceAll(/ +/g, ' '),
    `|${COLUMNS.map(() => '---|').join('')}`,
    ...rows.map((row) => `| ${cellsOf(row).map(cell).join(' | ')} |`.replaceAll(/ +/g, ' ')),
  ].join('\n')

/** Writes the table and the picture into the documentation. */
export function writeReport(report: Report): void {
  let before: readonly Row[] = []
  try {
    before = keptOf(JSON.parse(readFileSync(DATA, 'utf8')) as Report, report)
  } catch {
    // There was none.
  }
  const rows = merged(before, report.rows)
  writeFileSync(DATA, `${JSON.stringify({ ...report, rows }, null, 2)}\n`)
  writeFileSync(PICTURE, plot(rows))
  const curves = rows.flatMap(({ curve }) => curve ?? [])
  for (const curve of curves) writeFileSync(join(docs, pictureOf(curve)), plotCurve(curve))
  const page = readFileSync(PAGE, 'utf8')
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (start < 0 || end < start) throw new Error(`${PAGE} has no place for a table`)
  const text = [
    BEGIN,
    `Measured on ${report.at}: ${report.machine}, Node ${report.node}.`,
    '![What was measured, as a share of its target](performance.svg)',
    tableOf(rows),
    ...curves.map((curve) => `![${curve.title}](${pictureOf(curve)})`),
    '',
  ].join('\n\n')
  writeFileSync(PAGE, `${page.slice(0, start)}${text}${page.slice(end)}`)
}
