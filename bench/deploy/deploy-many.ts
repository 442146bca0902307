/**
 * `aloft deploy` of a folder of 10,000 files, none of which was uploaded before, until it is live: as somebody types it, on
 * a machine that does nothing else.
 *
 *   node bench/deploy/deploy-many.ts
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { median } from '../measure/median.ts'
import { cpuSeconds } from '../measure/process-cpu.ts'
import { amount, rounds } from '../measure/trial.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { printRows, type Row } from '../report/row.ts'

const FILES = amount(10_000, 20)
const FILE_BYTES = 4096
const FOLDERS = 100
const ROUNDS = rounds(3)
const TARGET = 5
const CLI = resolve(import.meta.dirname, '../../bin/aloft.js')

/** No content is like another one, nor like one of the round before. */
function makeFolder(home: string): string {
  const folder = mkdtempSync(join(home, 'site-'))
  for (let n = 0; n < FOLDERS; n++) mkdirSync(join(folder, `section-${n}`))
  for (let n = 0; n < FILES; n++) {
    const words = randomBytes(FILE_BYTES / 2).toString('hex')
    writeFileSync(join(folder, `section-${n % FOLDERS}`, `page-${n}.html`), words)
  }
  return folder
}

function deploy(platform: Platform, folder: string): void {
  const args = [CLI, 'deploy', '--prod', '--yes', '--name', 'many-files']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...{ PATH: process.env.PATH, HOME: join(folder, '..'), ALOFT_BASE_URL: platform.url },
      ALOFT_TOKEN: platform.headers.authorization?.replace('Bearer ', ''),
    },
  })
  if (status !== 0) throw new Error(`aloft deploy ended with ${status}: ${stdout}${stderr}`)
}

export async function run(): Promise<Row[]> {
  const platform = await startPlatform({}, { pinned: false })
  const home = mkdtempSync(join(tmpdir(), 'aloft-bench-'))
  const [seconds, cpus]: [number[], number[]] = [[], []]
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const folder = makeFolder(home)
      const [cpu, start] = [await cpuSeconds(platform.pid), performance.now()]
      deploy(platform, folder)
      seconds.push((performance.now() - start) / 1000)
      cpus.push((await cpuSeconds(platform.pid)) - cpu)
    }
  } finally {
    await platform.stop()
    rmSync(home, { recursive: true, force: true })
  }
  const took = median(seconds)
  const chart = {
    ...{ value: took, target: TARGET, better: 'less' as const },
    spread: [Math.min(...seconds), Math.max(...seconds)] as const,
  }
  return [
    {
      ...{ id: 'P7', what: `\`aloft deploy\` of ${FILES.toLocaleString('en')} new files of 4 KB` },
      ...{ measured: `${took.toFixed(2)} s`, target: `≤ ${TARGET} s`, met: took <= TARGET, chart },
    },
    {
      ...{ id: '', what: 'the same, CPU time of all processes of the platform' },
      ...{ measured: `${median(cpus).toFixed(2)} s`, target: '', met: undefined },
    },
  ]
}

if (import.meta.main) printRows(await run())
