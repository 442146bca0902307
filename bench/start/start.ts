/**
 * From the command to `aloft ready`, with everything installed and built, on data that is there: on the clock, and CPU
 * time of all processes, beside what Node takes to start and do nothing.
 *
 *   node bench/start/start.ts
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { install } from '#test/support/installation.ts'
import { median } from '../measure/median.ts'
import { cpuSeconds } from '../measure/process-cpu.ts'
import { isTrial, rounds } from '../measure/trial.ts'
import { printRows, type Row } from '../report/row.ts'

const ROUNDS = rounds(7)
const TARGET = 1.5
const root = resolve(import.meta.dirname, '../..')

export async function run(): Promise<Row[]> {
  // A trial takes what is there, and starts one process of a kind.
  if (!isTrial) execFileSync(process.execPath, [join(root, 'scripts/build-server.ts')], { stdio: 'ignore' })
  // As it comes: so many processes as it thinks right.
  let installed = await install({ env: { ALOFT_WORKERS: isTrial ? '1' : '' } })
  const [starts, cpus, bare]: [number[], number[], number[]] = [[], [], []]
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await installed.stop()
      const began = performance.now()
      installed = await installed.restart()
      starts.push((performance.now() - began) / 1000)
      cpus.push(await cpuSeconds(installed.process.pid))
      const empty = performance.now()
      spawnSync(process.execPath, ['-e', '0'])
      bare.push((performance.now() - empty) / 1000)
    }
  } finally {
    await installed.remove()
  }
  const took = median(starts)
  return [
    {
      ...{ id: 'P16', what: 'start to `aloft ready`', measured: `${took.toFixed(2)} s` },
      ...{ target: `≤ ${TARGET} s`, met: took <= TARGET },
      chart: {
        value: took,
        target: TARGET,
        better: 'less',
        spread: [Math.min(...starts), Math.max(...starts)],
      },
    },
    {
      ...{ id: '', what: 'the same, CPU time of all processes', measured: `${median(cpus).toFixed(2)} s` },
      ...{ target: '', met: undefined },
    },
    {
      ...{
        id: '',
        what: 'the same, × a Node that does nothing',
        measured: `${(took / median(bare)).toFixed(1)} ×`,
      },
      ...{ target: '', met: undefined },
    },
  ]
}

if (import.meta.main) printRows(await run())
