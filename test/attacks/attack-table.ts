import { KINDS } from './kinds.ts'

/** What was tried of a kind, and how much of it held. */
interface Tried {
  readonly name: string
  readonly tried: number
  readonly held: number
}

const BEGIN = '<!-- written by npm run test:attacks -- --write -->'
const END = '<!-- end -->'
const TOGETHER = 'Together'

const lineOf = ({ name, tried, held }: Tried): string => `| ${name} | ${tried} | ${held} |`

function readLine(line: string): Tried | undefined {
  const [, name, tried, held] = /^\| (.+) \| (\d+) \| (\d+) \|$/.exec(line) ?? []
  return name === undefined ? undefined : { name, tried: Number(tried), held: Number(held) }
}

/** The page with these rows; those of kinds that were not tried this time, or could not be, stay as they were. */
export function withAttacks(page: string, fresh: readonly Tried[]): string {
  const [before, rest] = page.split(BEGIN)
  const [table, after] = rest?.split(END) ?? []
  if (before === undefined || table === undefined || after === undefined)
    throw new Error('SECURITY.md has no place for the table')
  const known = new Map(
    [
      ...table.split('\n').flatMap((line) => readLine(line) ?? []),
      ...fresh.filter(({ tried }) => tried > 0),
    ].map((row) => [row.name, row]),
  )
  const rows = KINDS.flatMap(({ name }) => known.get(name) ?? [])
  const sum = (of: 'tried' | 'held') => rows.reduce((all, row) => all + row[of], 0)
  const all = [...rows, { name: TOGETHER, tried: sum('tried'), held: sum('held') }]
  const lines = ['| Kind | Tried | Held |', '|---|---:|---:|', ...all.map(lineOf)]
  return `${before}${BEGIN}\n${lines.join('\n')}\n${END}${after}`
}
