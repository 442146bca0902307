import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { serveIpcBus } from '#adapters/bus-ipc/serve-ipc-bus.ts'
import { serveIpcLimiter } from '#adapters/limit-ipc/serve-ipc-limiter.ts'
import { createMemoryLimiter } from '#adapters/limit-memory/memory-limiter.ts'
import { SECOND } from '#contract/time.ts'
import type { SandboxFacts } from '#core/operator/status.ts'
import type { Log } from '#core/ports/log.ts'
import type { Config } from '../../config.ts'
import { firstWords } from '../first-words.ts'
import { PREPARED, type Prepared } from '../prepared.ts'
import { type Channel, kindOf } from './channel.ts'
import { DRAIN_MS, forkRole, KeptChild } from './child.ts'
import { serveMetrics } from './metrics-hub.ts'
import { serveProcessList, startOfThis } from './process-list.ts'
import { servingProcesses } from './serving.ts'

export type Role = 'all' | 'serve' | 'work'

/** Starts the processes of a role, keeps them alive, and ends them in order. */
export async function supervise(config: Config, role: Role, log: Log): Promise<number> {
  const stopping = stopSignal()
  await assertFree(config)
  const prepared = await prepare()
  if (prepared === undefined) return 1

  const stillborn = Promise.withResolvers<void>()
  const children: KeptChild[] = []
  const channels = () => children.flatMap(({ channel }) => channel ?? [])
  const metrics = serveMetrics(channels)
  const own = { name: 'supervisor', role: 'supervisor', pid: process.pid, restarts: 0, hangs: 0 } as const
  const list = serveProcessList(
    () => [{ ...own, startedAt: startOfThis() }, ...children.flatMap(({ facts }) => facts ?? [])],
    createFirstWords(),
  )
  const limiter = createMemoryLimiter()
  const bus = serveIpcBus()
  const attach = (channel: Channel) => {
    metrics.attach(channel)
    list.attach(channel)
    serveIpcLimiter(channel, limiter)
    return bus.attach(channel)
  }
  const keep = (kind: 'serve' | 'work', name: string) =>
    children.push(
      new KeptChild({
        ...{ role: kind, name, log, onStart: attach, onStillborn: stillborn.resolve },
        hangMs: config.hangSeconds * SECOND,
      }),
    )

  if (role !== 'work') for (let n = 1; n <= servingProcesses(config); n++) keep('serve', `serve-${n}`)
  if (role !== 'serve') keep('work', 'work-1')

  const ready = Promise.all(children.map((child) => child.start())).then(() => 'ready' as const)
  const first = await Promise.race([ready, stillborn.promise.then(() => 'stillborn' as const), stopping])
  if (first === 'ready') {
    announce(config, prepared)
    await stopping
  } else if (first === 'stillborn') log.error({}, 'a process could not start; the lines above say why')
  // Functions run in the working process: it stays until the last visitor has been answered.
  for (const kind of ['serve', 'work'] as const)
    await Promise.all(
      children.filter(({ role }) => role === kind).map((child) => child.stop(DRAIN_MS + 5 * SECOND)),
    )
  return first === 'stillborn' ? 1 : 0
}

/** Once, to a person at a terminal; a log gets the same as a line of its own. */
function createFirstWords(): (sandbox: SandboxFacts) => void {
  let isSaid = !process.stdout.isTTY
  return ({ advice }) => {
    if (advice && !isSaid) process.stdout.write(firstWords(advice))
    isSaid = true
  }
}

function announce(config: Config, { setupToken }: Prepared): void {
  if (setupToken !== undefined)
    process.stdout.write(
      `\nNobody operates this installation yet. Open this one-time link to become its operator:\n\n  ${config.baseUrl}/setup?token=${setupToken}\n\n`,
    )
  process.stdout.write(`aloft ready ${config.baseUrl}\n`)
}

/** The database is brought up to date by one process, before any other looks at it. */
async function prepare(): Promise<Prepared | undefined> {
  const child = forkRole('prepare')
  let prepared: Prepared | undefined
  child.on('message', (message) => {
    if (kindOf(message) === PREPARED) prepared = message as Prepared
  })
  await once(child, 'exit')
  return prepared
}

/** Serving processes share their ports, so a second installation on the same ports has to be noticed here. */
async function assertFree({ host, port, tlsPort, dnsPort }: Config): Promise<void> {
  const free = async (variable: string, wanted: number, probe: () => Promise<void>) => {
    if (wanted === 0) return
    await probe().catch((error: NodeJS.ErrnoException) => {
      throw new StartError(
        error.code === 'EADDRINUSE'
          ? `port ${wanted} on ${host} is in use; stop what listens there, or choose another with ${variable}`
          : `cannot listen on ${host} port ${wanted}: ${error.message}`,
      )
    })
  }
  const tcp = (wanted: number) => async () => {
    const probe = createServer().listen({ host, port: wanted })
    await once(probe, 'listening')
    await new Promise((resolve) => probe.close(resolve))
  }
  const udp = (wanted: number) => async () => {
    const probe = createSocket(host.includes(':') ? 'udp6' : 'udp4').bind(wanted, host)
    await once(probe, 'listening')
    await new Promise<void>((resolve) => probe.close(resolve))
  }
  await free('ALOFT_PORT', port, tcp(port))
  await free('ALOFT_TLS_PORT', tlsPort, tcp(tlsPort))
  await free('ALOFT_DNS_PORT', dnsPort, tcp(dnsPort))
  await free('ALOFT_DNS_PORT', dnsPort, udp(dnsPort))
}

/** A reason not to start that is the operator's to mend. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** How often it is looked at whether npm, which started us, is still there to pass signals on. */
const PARENT_CHECK = 500

function stopSignal(): Promise<'stop'> {
  const { promise, resolve } = Promise.withResolvers<'stop'>()
  const parent = process.ppid
  // Killed outright, npm would leave a server behind that nobody holds any more.
  if (process.env.npm_lifecycle_event !== undefined)
    setInterval(() => process.ppid !== parent && resolve('stop'), PARENT_CHECK).unref()
  let asked = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      // Asked a second time, a person does not want to wait any longer.
      if (asked && signal === 'SIGINT') process.exit(130)
      asked = true
      resolve('stop')
    })
  return promise
}
