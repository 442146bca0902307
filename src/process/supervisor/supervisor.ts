import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { serveIpcBus } from '#adapters/bus-ipc/serve-ipc-bus.ts'
import { alone, given } from '#adapters/limit-ipc/messages.ts'
import { serveIpcLimiter } from '#adapters/limit-ipc/serve-ipc-limiter.ts'
import { createMemoryLimiter } from '#adapters/limit-memory/memory-limiter.ts'
import { SECOND } from '#contract/time.ts'
import type { SandboxFacts } from '#core/operator/status.ts'
import type { Log } from '#core/ports/log.ts'
import type { Config } from '../../config.ts'
import { firstWords } from '../first-words.ts'
import { PREPARED, type Prepared } from '../prepared.ts'
import { type Channel, kindOf } from './channel.ts'
import { DRAIN_MS, JOINED, KeptChild } from './child.ts'
import { serveMetrics } from './metrics-hub.ts'
import { serveProcessList, startOfThis } from './process-list.ts'
import { createScaling } from './scaling.ts'
import { servingRange } from './serving.ts'

export type Role = 'all' | 'serve' | 'work'

/** Starts the processes of a role, keeps them alive, and ends them in order. */
export async function supervise(config: Config, role: Role, log: Log): Promise<number> {
  const stopping = stopSignal()
  await assertFree(config)

  const stillborn = Promise.withResolvers<'stillborn'>()
  const prepared = Promise.withResolvers<Prepared>()
  const children: KeptChild[] = []
  const channels = () => children.flatMap(({ channel }) => channel ?? [])
  const metrics = serveMetrics(channels)
  const own = { name: 'supervisor', role: 'supervisor', pid: process.pid, restarts: 0, hangs: 0 } as const
  const list = serveProcessList(
    () => [{ ...own, startedAt: startOfThis() }, ...children.flatMap(({ facts }) => facts ?? [])],
    createFirstWords(),
  )
  const { least } = servingRange(config)
  const limiter = createMemoryLimiter()
  const bus = serveIpcBus()
  const attach = (channel: Channel) => {
    channel.onMessage((message) => kindOf(message) === PREPARED && prepared.resolve(message as Prepared))
    metrics.attach(channel)
    list.attach(channel)
    serveIpcLimiter(channel, limiter)
    return bus.attach(channel)
  }
  const keep = (kind: 'serve' | 'work', name: string, isExtra = false): Promise<void> => {
    const onStillborn = () => {
      if (!isExtra) return stillborn.resolve('stillborn')
      log.error({ child: name }, 'a process could not start; the others go on')
      children.splice(children.indexOf(child), 1)
      countAtLast()
    }
    const child = new KeptChild({
      ...{ role: kind, name, log, onStillborn },
      onStart(channel) {
        const detach = attach(channel)
        if (kind === 'serve' && least === 1 && serving().length === 1) channel.send(alone(true))
        return detach
      },
      hangMs: config.hangSeconds * SECOND,
      // The database is brought up to date by one process, before any other looks at it.
      prepares: children.length === 0,
    })
    children.push(child)
    return child.start()
  }
  const serving = () => children.filter((child) => child.role === 'serve')

  /** The last that serves counts requests itself, going on from what was counted here. */
  function countAtLast(): void {
    const [last, ...others] = serving()
    if (!last?.channel || others.length > 0 || least > 1) return
    last.channel.send(given(limiter.giveAway()))
    last.channel.send(alone(true))
  }

  async function startAll(): Promise<'ready'> {
    const first = role === 'work' ? keep('work', 'work-1') : keep('serve', 'serve-1')
    await prepared.promise
    const others: Promise<void>[] = []
    if (role !== 'work') for (let n = 2; n <= least; n++) others.push(keep('serve', `serve-${n}`))
    if (role === 'all') others.push(keep('work', 'work-1'))
    await Promise.all([first, ...others])
    return 'ready'
  }

  function startOneMore(): void {
    const name = `serve-${serving().length + 1}`
    log.info({ child: name }, 'there is much to do: one more process serves')
    const before = serving()
    for (const { channel } of before) channel?.send(alone(false))
    // Connections stay where they are, so that without this it would have little to do for a while.
    void keep('serve', name, true).then(() => {
      for (const { channel } of before) channel?.send({ kind: JOINED })
    })
  }

  function endOne(): void {
    const last = serving().at(-1)
    if (!last) return
    log.info({ child: last.facts?.name }, 'there is little to do: one process fewer serves')
    children.splice(children.indexOf(last), 1)
    void last.stop(DRAIN_MS + 5 * SECOND).then(countAtLast)
  }

  function scale(): NodeJS.Timeout {
    const decide = createScaling(servingRange(config))
    return setInterval(() => {
      const change = decide(serving().map(({ busy }) => busy))
      if (change > 0) startOneMore()
      if (change < 0) endOne()
    }, SECOND)
  }

  const outcome = await Promise.race([startAll(), stillborn.promise, stopping])
  if (outcome === 'ready') {
    announce(config, await prepared.promise)
    const scaling = role === 'work' ? undefined : scale()
    await stopping
    clearInterval(scaling)
  } else if (outcome === 'stillborn') log.error({}, 'a process could not start; the lines above say why')
  // Functions run in the working process: it stays until the last visitor has been answered.
  for (const kind of ['serve', 'work'] as const)
    await Promise.all(
      children.filter(({ role }) => role === kind).map((child) => child.stop(DRAIN_MS + 5 * SECOND)),
    )
  return outcome === 'stillborn' ? 1 : 0
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
