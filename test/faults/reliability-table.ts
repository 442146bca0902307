import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Counts } from './load/workload.ts'

/** What became of an installation under load. */
export interface Row extends Pick<Counts, 'visits' | 'api' | 'sockets'> {
  readonly name: string
  /** Acknowledged changes that were not there afterwards. */
  readonly lost: number
  readonly seconds: number
}

const BEGIN = '<!-- written by npm run test:faults -- --write -->'
const END = '<!-- end -->'
const HEAD =
  '| Scenario | Visits ok / failed | API requests ok / failed | WebSocket messages ok / lost | Acknowledged changes lost | Seconds to recover |'

const of = ({ ok, failed }: Counts['api']): string => `${ok} / ${failed}`

const lineOf = ({ name, visits, api, sockets, lost, seconds }: Row): string =>
  `| ${name} | ${of(visits)} | ${of(api)} | ${sockets.ok + sockets.failed === 0 ? '–' : of(sockets)} | ${lost} | ${seconds.toFixed(1)} |`

const RULE = '| --- | --- | --- | --- | --- | --- |'

/** By which a row is found again: numbers that differ from run to run do not count. */
const nameOf = (line: string): string =>
  line
    .split(' | ', 1)[0]
    ?.replace(/^\| [\d,]* ?/, '')
    .split(' (', 1)[0] ?? ''

/** The page with these lines in the place of those of the same name between the marks; others stay. */
function withLines(page: string, [begin, ...head]: readonly string[], fresh: readonly string[]): string {
  const [before, rest] = page.split(begin as string)
  const at = rest?.indexOf(END) ?? -1
  if (before === undefined || rest === undefined || at < 0)
    throw new Error('docs/reliability.md has no place for the table')
  // Each stays in its place.
  const lines = new Map<string, string>()
  for (const line of rest.slice(0, at).split('\n'))
    if (line.startsWith('| ') && !head.includes(line)) lines.set(nameOf(line), line)
  for (const line of fresh) lines.set(nameOf(line), line)
  return `${before}${begin}\n${[...head, ...lines.values()].join('\n')}\n${rest.slice(at)}`
}

/** The page with these rows in the place of those of the same name; others stay. */
export const withTable = (page: string, rows: readonly Row[]): string =>
  withLines(page, [BEGIN, HEAD, RULE], rows.map(lineOf))

const MEASURED = '<!-- measured by npm run test:faults and npm run test:restart -- --write -->'

/** The page with this of what is measured otherwise than under the usual load. */
export const withMeasure = (page: string, name: string, found: string): string =>
  withLines(page, [MEASURED, '| What | Measured |', '| --- | --- |'], [`| ${name} | ${found} |`])

const PAGE = resolve(import.meta.dirname, '../../docs/reliability.md')

/** Changes docs/reliability.md. */
export const changePage = (change: (page: string) => string): void =>
  writeFileSync(PAGE, change(readFileSync(PAGE, 'utf8')))
