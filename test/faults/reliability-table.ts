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
  '| What happens | Visits ok / failed | API requests ok / failed | WebSocket messages ok / cut | Lost | Seconds until all works |'

const of = ({ ok, failed }: Counts['api']): string => `${ok} / ${failed}`

const lineOf = ({ name, visits, api, sockets, lost, seconds }: Row): string =>
  `| ${name} | ${of(visits)} | ${of(api)} | ${sockets.ok + sockets.failed === 0 ? '–' : of(sockets)} | ${lost} | ${seconds.toFixed(1)} |`

/** The page with these rows in the place of those of the same name; others stay. */
export function withTable(page: string, rows: readonly Row[], name: string): string {
  const [before, rest] = page.split(BEGIN)
  const [table, after] = rest?.split(END) ?? []
  if (before === undefined || table === undefined || after === undefined)
    throw new Error(`${name} has no place for the table`)
  const nameOf = (line: string) =>
    line
      .split(' | ', 1)[0]
      ?.replace(/^\| \d* ?/, '')
      .split(' (', 1)[0] ?? ''
  const fresh = rows.map(lineOf)
  const known = new Set(fresh.map(nameOf))
  const kept = table.split('\n').filter((line) => line.startsWith('| ') && !/^\| (What|---)/.test(line))
  const lines = [...kept.filter((line) => !known.has(nameOf(line))), ...fresh]
  return `${before}${BEGIN}\n${[HEAD, '| --- | --- | --- | --- | --- | --- |', ...lines].join('\n')}\n${END}${after}`
}
