import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const PAGE = resolve(import.meta.dirname, '../../../docs/cluster.md')
const BEGIN = '<!-- written by npm run test:cluster -- --write -->'
const END = '<!-- end -->'
const HEAD = [
  '| What happens | Static pages ok / failed | Functions ok / failed | Slowest function | Writes ok / refused | Recovered after | Alias differs for at most (moves) | DNS record (changes) | Certificate (changes) | Cached page (purges) | Lost | Done twice |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
]

const nameOf = (line: string): string => line.split(' | ')[0]?.replace(/^\| /, '') ?? ''

/** Puts rows in the place of those of the same name, in the order of the names; the others stay as they are. */
export function writeTable(lines: readonly string[], order: readonly string[]): void {
  const page = readFileSync(PAGE, 'utf8')
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error('docs/cluster.md has no place for the table')
  const before = page
    .slice(begin, end)
    .split('\n')
    .slice(1 + HEAD.length)
  const rows = new Map([...before, ...lines].filter(Boolean).map((line) => [nameOf(line), line]))
  const placed = [...rows].toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const table = [BEGIN, ...HEAD, ...placed.map(([, line]) => line)].join('\n')
  writeFileSync(PAGE, `${page.slice(0, begin)}${table}\n${page.slice(end)}`)
}
