/**
 * What the machine itself makes visitors wait: servers that do next to nothing, beside processes that use all cores, each in turns of
 * 20 ms with short rests, and that the kernel is told to run only when nobody else wants to. No platform whose tenants may use
 * all cores can be below that.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { toAnyCore } from '../measure/cores.ts'
import { startChildServer } from '../peer/child-server.ts'
import { beside, type Row } from '../report/row.ts'
import { compareRounds, type Noise, visitOnce } from './rounds.ts'
import type { Visitors } from './visitors.ts'

/** How it is chosen, beside the storms. */
export const MACHINE = 'machine'

const WHAT = 'work on all cores that gives way to everything'

/** As most work does, it rests now and then: who wakes up is given a core as well. */
const WORK = `const bell = new Int32Array(new SharedArrayBuffer(4))
for (;;) {
  for (const end = performance.now() + 20; performance.now() < end; );
  Atomics.wait(bell, 0, 0, Math.random() * 10)
}`

function work(): Noise {
  let running: ReturnType<typeof spawn>[] = []
  return {
    begin() {
      const args = ['--idle', '0', process.execPath, '-e', WORK]
      running = Array.from({ length: cpus().length + 1 }, () => spawn('chrt', args, { stdio: 'ignore' }))
    },
    async stop() {
      for (const worker of running) {
        const exited = once(worker, 'exit')
        worker.kill('SIGKILL')
        await exited
      }
    },
  }
}

export async function machineRows(visitors: Visitors): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-bench-machine-'))
  const [page, socket] = [join(folder, 'page'), join(folder, 'socket')]
  writeFileSync(page, 'x'.repeat(1000))
  const limit = join(import.meta.dirname, '../peer/limit-server.ts')
  const servers = [
    await startChildServer(limit, ['net', page], toAnyCore),
    await startChildServer(limit, ['forward', socket], toAnyCore),
    await startChildServer(limit, ['unix', page, socket], toAnyCore),
  ]
  try {
    const aims = servers.slice(0, 2).map(({ url }) => ({ url, host: 'localhost' }))
    await visitOnce(visitors, aims)
    const compared = await compareRounds(visitors, aims, async () => work())
    return ['a bare server', 'a bare server behind a bare forwarder'].map((who, n) =>
      beside('P13', `${who} beside ${WHAT} (${compared[n]?.inWords})`, compared[n]?.ratio ?? Number.NaN),
    )
  } finally {
    for (const server of servers) await server.stop()
    rmSync(folder, { recursive: true })
  }
}
