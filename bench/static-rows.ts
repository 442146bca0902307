import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Row } from './row.ts'

/** Reads the rows of `static.ts`, which prints a table of its own with the rates of each peer. */
export async function run(): Promise<Row[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'static.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed = (await child.stdout.setEncoding('utf8').toArray()).join('')
  const rows = stripVTControlCharacters(printed).split('\n').flatMap(toRow)
  if (rows.length === 0) throw new Error(`static.ts printed no table: ${printed}`)
  return rows
}

/** `│ P1 1 KB, HTTP/1.1 │ 30000 │ nginx │ 33000 │ 0.91 │ ≥ 0.85 │ ok │` */
function toRow(line: string): Row[] {
  const [what = '', , peer = '', , ratio = '', target = '', verdict = ''] = line
    .split('│')
    .slice(1, -1)
    .map((cell) => cell.trim())
  const named = /^(P\d+) (.+)$/.exec(what)
  if (!named) return []
  const [, id = '', rest = ''] = named
  return [
    {
      id,
      what: `static ${rest}, against ${peer}`,
      measured: `${ratio} ×`,
      target: `${target} ×`,
      met: verdict === 'ok',
    },
  ]
}
