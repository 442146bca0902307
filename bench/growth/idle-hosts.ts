/**
 * What a host costs in memory that nobody visits: an installation with 100,000 projects, each with a deployment and an
 * alias, once every one of them was visited and all is quiet again, which is when there are no more serving processes than after a
 * start, against the same installation without them after as many visits of one host. Memory of all processes, as they are started
 * without settings, divided by the hosts.
 *
 *   BENCH_HOSTS=100000 node bench/growth/idle-hosts.ts
 */
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE, SECOND } from '#contract/time.ts'
import { type Installation, install, NOTHING_RUNS } from '#test/support/installation.ts'
import { oneConnection, send } from '../load/send.ts'
import { familyMegabytes } from '../measure/process-memory.ts'
import { amount, isTrial } from '../measure/trial.ts'
import { deployReady } from '../platform/deploy-ready.ts'
import { buildServer, callerOf } from '../platform/platform.ts'
import { printRows, type Row } from '../report/row.ts'
import { fillHosts, hostOf } from './fill-hosts.ts'

const HOSTS = Number(process.env.BENCH_HOSTS ?? amount(100_000, 20))
const AT_ONCE = 16
/** What an idle process does not need any more it gives back after some seconds. */
const SETTLED = amount(15_000, 0)
/** A serving process that the visits called for ends after five minutes with little to do. */
const LONGEST_REST = 8 * MINUTE
const TARGET_BYTES = 2048

/** One visit of each host, over few connections. */
async function visitAll({ url }: Installation, host: (n: number) => string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  let next = 1
  const take = async () => {
    for (let n = next++; n <= HOSTS; n = next++) {
      const { status } = await send({ url, headers: { host: host(n) }, agent })
      if (status !== 200) throw new Error(`${host(n)}: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, take))
  agent.destroy()
}

interface Megabytes {
  /** Some seconds after the last visit, with as many serving processes as the visits called for. */
  readonly soon: number
  /** Once these have ended again. */
  readonly idle: number
}

/** Of the installation after every host was visited. */
async function megabytesAfter(installed: Installation, host: (n: number) => string): Promise<Megabytes> {
  const { pid } = installed.process
  const { length: atFirst } = await installed.children('serve')
  await visitAll(installed, host)
  await pause(SETTLED)
  const soon = await familyMegabytes(pid)
  const deadline = performance.now() + LONGEST_REST
  while (!isTrial && (await installed.children('serve')).length > atFirst) {
    if (performance.now() > deadline) throw new Error('a serving process that nobody needs has not ended')
    await pause(SECOND)
  }
  return { soon, idle: await familyMegabytes(pid) }
}

/** A site like those that are made of it. */
async function deployOne({ url }: Installation): Promise<{ id: string; host: string }> {
  const agent = oneConnection()
  const call = callerOf(url, agent)
  const host = await deployReady({ call }, 'one-of-many', { 'index.html': 'x'.repeat(1000) })
  const { id } = JSON.parse((await call(`/v8/platform/deployments/${host}`)).body)
  agent.destroy()
  return { id, host }
}

export async function run(): Promise<Row[]> {
  buildServer()
  const settings = isTrial ? NOTHING_RUNS : { ALOFT_WORKERS: '' }
  let installed = await install({ env: { ...settings, ALOFT_LOG_LEVEL: 'warn' } })
  try {
    const { id, host } = await deployOne(installed)
    const domain = host.slice(host.indexOf('.') + 1)
    await installed.stop()
    installed = await installed.restart()
    const before = await megabytesAfter(installed, () => host)
    await installed.stop()
    fillHosts(join(installed.folder, 'data', 'aloft.db'), id, domain, HOSTS)
    installed = await installed.restart()
    const unvisited = await megabytesAfter(installed, () => host)
    await installed.stop()
    installed = await installed.restart()
    const visited = await megabytesAfter(installed, (n) => hostOf(n, domain))
    const bytes = Math.max(0, ((visited.idle - before.idle) * 2 ** 20) / HOSTS)
    const count = HOSTS.toLocaleString('en')
    const stated = (what: string, megabytes: number): Row => ({
      ...{ id: '', what, measured: `${megabytes.toFixed(0)} MB`, target: '', met: undefined },
    })
    return [
      {
        id: 'P18',
        what: `memory for each of ${count} hosts, all visited once and idle again`,
        measured: `${bytes.toFixed(0)} B`,
        target: `≤ ${TARGET_BYTES} B`,
        met: bytes <= TARGET_BYTES,
        chart: { value: bytes, target: TARGET_BYTES, better: 'less' },
      },
      stated('all processes with one host, visited as often', before.idle),
      stated(`the same with ${count} more, none of them visited`, unvisited.idle),
      stated('the same with each of them visited once', visited.idle),
      stated('the same while there are as many serving processes as the visits called for', visited.soon),
    ]
  } finally {
    await installed.remove()
  }
}

if (import.meta.main) printRows(await run())
