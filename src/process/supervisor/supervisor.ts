import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { serveIpcBus } from '#adapters/bus-ipc/serve-ipc-bus.ts'
import { type Channel, kindOf } from '#adapters/ipc/channel.ts'
import { MachineLimiter } from '#adapters/limit-ipc/machine-limiter.ts'
import { SECOND } from '#contract/time.ts'
import type { SandboxFacts } from '#core/operator/status.ts'
import type { Log } from '#core/ports/log.ts'
import type { Config } from '../../config/config.ts'
import { sandboxAdviceText } from '../machine/sandbox-advice-text.ts'
import { PREPARED, type Prepared } from '../prepared.ts'
import { installedVersion } from '../version.ts'
import { announcement } from './announcement.ts'
import { isCountElsewhere } from './channel/count-elsewhere.ts'
import { serveMetrics } from './channel/metrics-hub.ts'
import { serveProcessList, startOfThis } from './channel/process-list.ts'
import {
  DRAIN_MS,
  findProgram,
  JOINED,
  pauseAfter,
  READY,
  SupervisedChild,
  type SupervisedOptions,
} from './child/child.ts'
import { giveBackWhenIdle } from './child/idle-memory.ts'
import { createRestart, RestartRefused, serveRestart } from './restart.ts'
import { createScaling } from './scaling.ts'
import { servingRange } from './serving.ts'
import { ADOPT, type Adopt } from './socket/adopt.ts'
import { openSockets } from './socket/listen-sockets.ts'
import { StartError } from './start-error.ts'
import { stopSignal } from './stop-signal.ts'

export type Role = 'all' | 'serve' | 'work'

/** Starts the processes of a role, keeps them alive, replaces them on demand, and ends them in order. */
export async function supervise(
  config: Config,
  role: Role,
  log: Log,
  {
    reread = () => config,
    program = findProgram(),
    installed = installedVersion,
    scaling = createScaling(servingRange(config)),
    onReady = () => {},
    onStopping,
  }: Supervising = {},
): Promise<number> {
  const stopping = stopSignal()
  const ready = Promise.withResolvers<void>()
  let isReady = false
  /** Once all are ready: what has begun already may be older than what lies on the disk by now. */
  async function restartOnceReady(): Promise<void> {
    if (!isReady) log.info({}, 'a restart was asked for; it follows when all processes are ready')
    await ready.promise
    return restart.now()
  }
  process.on('SIGUSR2', () => void restartOnceReady().catch(() => {}))
  await assertFree(config)
  const sockets = role === 'work' ? undefined : await openSockets(config)

  const stillborn = Promise.withResolvers<'stillborn'>()
  /** Of the first process that looked at the data, and of the first that found it in order. */
  const looked = Promise.withResolvers<Prepared>()
  const prepared = Promise.withResolvers<void>()
  let isPrepared = false
  const hearPrepared = (message: Prepared) => {
    looked.resolve(message)
    if (message.isAway) return
    isPrepared = true
    prepared.resolve()
  }
  const children: SupervisedChild[] = []
  const channels = () => children.flatMap(({ channel }) => channel ?? [])
  const metrics = serveMetrics(channels)
  const own = { name: 'supervisor', role: 'supervisor', pid: process.pid, restarts: 0, hangs: 0 } as const
  const list = serveProcessList(
    () => [{ ...own, startedAt: startOfThis() }, ...children.flatMap(({ facts }) => facts ?? [])],
    createFirstWords(),
    role !== 'serve',
  )
  const { least } = servingRange(config)
  const limiter = new MachineLimiter()
  /** Whether the working process has been handed requests of the API. */
  let answersApi = false
  const bus = serveIpcBus()
  const attach = (channel: Channel) => {
    channel.onMessage((message) => kindOf(message) === PREPARED && hearPrepared(message as Prepared))
    channel.onMessage((message) => {
      if (!isCountElsewhere(message)) return
      answersApi = true
      limiter.share()
    })
    metrics.attach(channel)
    list.attach(channel)
    serveRestart(restartOnceReady).attach(channel)
    const ends = [limiter.attach(channel), bus.attach(channel)]
    return (hasDied: boolean) => {
      for (const end of ends) end(hasDied)
    }
  }
  const common = {
    ...{ log, onStart: attach, onStillborn: () => stillborn.resolve('stillborn') },
    hangMs: config.hangSeconds * SECOND,
  }
  /** They finish what they have begun, and are not to be replaced. */
  const leaving = new Set<SupervisedChild>()
  const serving = () => children.filter((child) => child.role === 'serve' && !leaving.has(child))

  /**
   * Those that are always there have sockets of their own, among which the system spreads connections. Those that come
   * and go take from the same: whoever has less to do is there first.
   */
  function createServing(n: number, more: Generation & Partial<SupervisedOptions>): SupervisedChild {
    const { work, version, prepares, takesOver, ...options } = more
    const of = least
    return new SupervisedChild({
      ...{ ...common, role: 'serve', name: `serve-${n + 1}`, seat: n, ...options },
      onStart(channel) {
        const detach = attach(channel)
        // Not before: what is sent to a process that has not begun to count is heard by nobody.
        channel.onMessage((message) => kindOf(message) === READY && countAtLast())
        return detach
      },
      given: () => ({
        prepares: prepares?.() === true || version !== installed(),
        takesOver: takesOver?.() === true,
        ...(sockets ? { sockets: { numbers: sockets.numbers, own: n % of, of } } : {}),
        ...(role === 'all' ? { seat: work } : {}),
      }),
      onDied: () => adoptFrom(n % of),
    })
  }

  /** The last that serves counts requests itself, going on from what was counted here. */
  function countAtLast(): void {
    const [last, ...others] = serving()
    if (last?.channel && others.length === 0 && least === 1) limiter.moveTo(last.channel)
  }

  /** What waits on the sockets of one that is away is taken by the others. */
  function adoptFrom(n: number): void {
    for (const channel of channels()) channel.send({ kind: ADOPT, own: n } satisfies Adopt)
  }

  function createWorking(more: Generation & Partial<SupervisedOptions>): SupervisedChild {
    const { work: seat, version, prepares, program, takesOver: _, ...options } = more
    const others = () =>
      children.some((child) => child.role === 'work' && child.seat !== seat && child.channel)
    return new SupervisedChild({
      ...{ ...common, role: 'work', name: 'work-1', seat, program, ...options },
      given: () => ({
        ...{ seat, prepares: prepares?.() === true || version !== installed(), takesOver: others() },
        // Whoever hands a request on would wait for as long as the API takes to load, and so would functions.
        answersApi,
      }),
    })
  }

  let generation: Generation = { program, version: installed(), work: 0 }
  let isStopping = false

  async function startAll(): Promise<'ready'> {
    // The database is brought up to date by one process, before any other looks at it.
    const preparing = { ...generation, prepares: () => !isPrepared }
    const first = role === 'work' ? createWorking(preparing) : createServing(0, preparing)
    const start = (child: SupervisedChild) => {
      children.push(child)
      return child.start()
    }
    const started = [start(first)]
    const { isAway = false } = await looked.promise
    // The first one goes on with what it has begun, and tells of it, although everything is to end.
    if (isStopping) return 'ready'
    if (role !== 'work') for (let n = 1; n < least; n++) started.push(start(createServing(n, generation)))
    // Without the database there is nothing to be worked on.
    if (role === 'all')
      if (isAway) void prepared.promise.then(() => startWorkingLate())
      else started.push(start(createWorking(generation)))
    await Promise.all(started)
    return 'ready'
  }

  /** Sites are served meanwhile, and stay so where the database is away again before it could start. */
  function startWorkingLate(last?: number): void {
    const pause = pauseAfter(last, 0)
    const again = () => {
      setTimeout(() => startWorkingLate(pause), pause).unref()
    }
    if (isStopping) return
    // A restart brings a working process, or leaves everything as it is.
    if (restart.isUnderWay()) {
      again()
      return
    }
    if (children.some((child) => child.role === 'work')) return
    const onStillborn = () => {
      const place = children.indexOf(child)
      if (place >= 0) children.splice(place, 1)
      log.error({ pause }, 'the working process could not start and will be started again')
      again()
    }
    const child = createWorking({ ...generation, onStillborn })
    children.push(child)
    void child.start()
  }

  const restart = createRestart({
    ...{ children, log, isStopping: () => isStopping },
    check() {
      if (process.platform !== 'linux')
        throw new RestartRefused('only Linux allows two processes to share ports')
      if (!isPrepared) throw new RestartRefused('the database does not answer')
      const changed = changedForSupervisor(config, reread())
      if (changed !== undefined)
        throw new RestartRefused(`${changed} was changed: stop the server and start it again`)
    },
    create() {
      const taken = children.flatMap((child) => (child.role === 'work' ? [child.seat] : []))
      const work = [0, 1, 2, 3].find((seat) => !taken.includes(seat)) ?? 0
      const next: Generation = { program: findProgram(), version: installed(), work }
      const count = serving().length
      limiter.moveHere()
      let isFirst = true
      const preparing = { ...next, prepares: () => isFirst, takesOver: () => generation !== next }
      const [first, ...others] = [
        ...(role === 'serve' ? [] : [createWorking(preparing)]),
        ...Array.from({ length: count }, (_, n) => createServing(n, preparing)),
      ]
      const onReady = () => {
        isFirst = false
      }
      const onTaken = () => {
        generation = next
      }
      return { processes: first ? [first, ...others] : [], onReady, onTaken, onEnded: countAtLast }
    },
  })

  function startOneMore(): void {
    const n = serving().length
    const name = `serve-${n + 1}`
    log.info({ child: name }, 'high load: started another serving process')
    const before = serving()
    limiter.moveHere()
    const failed = () => {
      log.error({ child: name }, 'a process could not start; the others continue')
      scaling.failed()
      countAtLast()
    }
    const child = createServing(n, {
      ...generation,
      onStillborn: () => {
        children.splice(children.indexOf(child), 1)
        failed()
      },
    })
    children.push(child)
    // Connections stay where they are, so that without this it would have little to do for a while.
    void child.start().then(() => {
      scaling.started()
      for (const { channel } of before) channel?.send({ kind: JOINED })
    })
  }

  function endOne(): void {
    const last = serving().at(-1)
    if (!last) return
    log.info({ child: last.facts?.name }, 'low load: stopped a serving process')
    leaving.add(last)
    void last.stop(DRAIN_MS + 5 * SECOND, { succeeded: true }).then(() => {
      const place = children.indexOf(last)
      if (place >= 0) children.splice(place, 1)
      leaving.delete(last)
      countAtLast()
    })
  }

  function scale(): NodeJS.Timeout {
    return setInterval(() => {
      if (restart.isUnderWay()) return
      const change = scaling.decide(serving().map(({ busy }) => busy))
      if (change > 0) startOneMore()
      if (change < 0) endOne()
    }, SECOND)
  }

  let outcome = await Promise.race([startAll(), stillborn.promise, stopping])
  if (outcome === 'ready') {
    const { setupToken } = await looked.promise
    process.stdout.write(announcement(config.baseUrl, setupToken))
    isReady = true
    ready.resolve()
    giveBackWhenIdle()
    setImmediate(onReady)
    const scaled = role === 'work' ? undefined : scale()
    outcome = await Promise.race([stillborn.promise, stopping])
    clearInterval(scaled)
  }
  isStopping = true
  if (outcome === 'stillborn') log.error({}, 'a process could not start; the lines above say why')
  sockets?.close()
  await onStopping?.()
  // Functions run in the working process: it stays until the last visitor has been answered.
  for (const kind of ['serve', 'work'] as const)
    await Promise.all(
      children.filter(({ role }) => role === kind).map((child) => child.stop(DRAIN_MS + 5 * SECOND)),
    )
  return outcome === 'stillborn' ? 1 : 0
}

interface Supervising {
  /** Called when nobody is let in any more: another server may be started, and waits for what goes on. */
  readonly onStopping?: () => Promise<void>
  /** The settings as they are now. */
  readonly reread?: () => Config
  /** What the first processes run. */
  readonly program?: string
  /** The version that lies on the disk now. */
  readonly installed?: () => string | undefined
  /** How many serve. */
  readonly scaling?: ReturnType<typeof createScaling>
  /** Called when all of them are ready. */
  readonly onReady?: () => void
}

/** Processes that belong together. */
interface Generation {
  readonly program: string
  /** What lay on the disk then. A process that is started when another one does brings the data up to date for that. */
  readonly version: string | undefined
  /** The seat of the working process. */
  readonly work: number
  /** Whether a process that is started now has to bring the data up to date. */
  readonly prepares?: () => boolean
  /** Whether those before them still serve. */
  readonly takesOver?: () => boolean
}

/** The first setting that is the supervisor's own and is no longer what it was. */
function changedForSupervisor(before: Config, now: Config): string | undefined {
  const own = ['dataDir', 'host', 'port', 'tlsPort', 'dnsPort', 'sshPort', 'workers'] as const
  return own.find((key) => before[key] !== now[key])
}

/** Once, to a person at a terminal; a log gets the same as a line of its own. */
function createFirstWords(): (sandbox: SandboxFacts) => void {
  let isSaid = !process.stdout.isTTY
  return ({ advice }) => {
    if (advice && !isSaid) process.stdout.write(sandboxAdviceText(advice))
    isSaid = true
  }
}

/** Serving processes share this port without the supervisor, so that a second installation on it has to be noticed. */
async function assertFree({ host, dnsPort }: Config): Promise<void> {
  if (dnsPort === 0) return
  const probe = createSocket(host.includes(':') ? 'udp6' : 'udp4').bind(dnsPort, host)
  await once(probe, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(
      error.code === 'EADDRINUSE'
        ? `port ${dnsPort} on ${host} is in use; stop the program that uses it, or choose another port with ALOFT_DNS_PORT`
        : `cannot listen on ${host} port ${dnsPort}: ${error.message}`,
    )
  })
  await new Promise<void>((resolve) => probe.close(resolve))
}
