import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '#contract/time.ts'
import type { LoadedProgram } from '#core/instance/instance.ts'
import type { Log } from '#core/ports/log.ts'
import type { SandboxExit } from '#core/ports/sandbox.ts'
import { withinTime } from '#core/within-time.ts'
import type { ImageDetails } from '../docker/engine/engine-types.ts'
import { ContainerLaunch, type Variables } from '../docker/launch/container-launch.ts'
import { openSocketBridge, type SocketBridge } from '../docker/launch/socket-bridge.ts'
import type { Places } from './places.ts'
import { type ServiceParts, serviceSpec } from './service-spec.ts'
import type { SwarmEngine } from './swarm-engine.ts'
import type { Task } from './swarm-types.ts'
import type { TaskWatch } from './task-watch.ts'

interface ServiceLaunchParts {
  readonly swarm: SwarmEngine
  readonly tasks: TaskWatch
  readonly places: Places
  readonly log: Log
  readonly service: Omit<ServiceParts, 'port'>
  readonly registryAuth: string
  /** Where requests come in, a short path that is free. */
  readonly socket: string
}

/** A node that lost its container, or could not fetch its image, is given so many chances, elsewhere too. */
const MOST_REFUSALS = 3
/** A task whose node is to be left ended for that reason, and not by itself. */
const MOVED = /no longer meets constraints/
const LAST_WORDS_MS = SECOND
/** After it was moved, connections that end are taken for those to the node that was left. */
const MOVING_MS = 5 * SECOND
/** A machine that does not answer for this long is taken for lost. Serving processes wait twice as long for an answer. */
const LOST_MS = 1500

export async function launchService(
  loaded: LoadedProgram,
  image: ImageDetails,
  parts: ServiceLaunchParts,
): Promise<ContainerLaunch> {
  return new Service(loaded, image, parts, await openSocketBridge(parts.socket))
}

/**
 * An instance that a swarm runs: a service with one replica. When the swarm moves it to another node, requests wait until
 * it takes them there; when the program ends by itself the service goes, and who wants another one starts it.
 */
class Service extends ContainerLaunch {
  readonly #loaded: LoadedProgram
  readonly #parts: ServiceLaunchParts
  /** Settles when the service is to go. */
  readonly #over = Promise.withResolvers<SandboxExit | undefined>()
  #id: string | undefined
  #killed = false
  #isReady = false
  /** The one that requests go to, or will once it takes them. */
  #current: { readonly task: Task; readonly gone: AbortController; readonly read: Promise<void> } | undefined
  /** The last one that had to be given up with its node. */
  #left: Task | undefined
  #leftAt = Number.NEGATIVE_INFINITY
  #isLeading = false
  #isLooking = false

  constructor(loaded: LoadedProgram, image: ImageDetails, parts: ServiceLaunchParts, bridge: SocketBridge) {
    super({ image, bridge, socket: parts.socket, log: parts.log, name: parts.service.name })
    this.#loaded = loaded
    this.#parts = parts
  }

  stop(): void {
    this.#stop(false)
  }

  kill(): void {
    this.#stop(true)
  }

  override readonly wasLost = async (): Promise<boolean> => {
    if (performance.now() - this.#leftAt < MOVING_MS) return true
    const { task } = this.#current ?? {}
    if (!task) return false
    const place = this.#parts.places.at(task.NodeID)
    if (!place) return true
    // The swarm hears of it seconds later. A machine that lives answers, whatever became of the container.
    const answers = place.endOf(task.Status.ContainerStatus?.ContainerID ?? '').then(
      () => true,
      () => false,
    )
    return (await withinTime(answers, LOST_MS)) !== true
  }

  protected override isMoving(): boolean {
    return this.#isReady && !(this.#isLeading && this.bridge.isReached)
  }

  protected async run(env: Variables, port: number): Promise<SandboxExit | undefined> {
    const { swarm, tasks, service, registryAuth, log } = this.#parts
    this.#id = await swarm.createService(serviceSpec(this.#loaded, env, { ...service, port }), registryAuth)
    const unfollow = tasks.follow(this.#id, (found) => {
      // The next look comes soon.
      if (this.#isLooking) return
      this.#isLooking = true
      this.#look(found, port)
        .catch((err) => log.debug({ err, name: service.name }, 'a service could not be looked at'))
        .finally(() => {
          this.#isLooking = false
        })
    })
    const exit = await this.#over.promise
    unfollow()
    return exit
  }

  /** The newest first. */
  async #look(tasks: readonly Task[], port: number): Promise<void> {
    const [newest] = tasks
    // Somebody has removed the service.
    if (newest === undefined) return this.#current ? this.#over.resolve(KILLED) : undefined
    const ended = endedIn(tasks, this.#current?.task, this.#left)
    if (ended) return this.#end(ended)
    const refused = tasks.filter((task) => task.Status.State === 'rejected' && !isMoved(task))
    if (refused.length >= MOST_REFUSALS) return this.#refused(refused[0] as Task)
    if (newest.DesiredState !== 'running') return
    if (this.#current && this.#current.task.ID !== newest.ID) await this.#leave(newest)
    if (newest.Status.State !== 'running' || newest.Status.ContainerStatus === undefined) return
    if (this.#current?.task.ID !== newest.ID) this.#follow(newest)
    if (!this.#isLeading) await this.#lead(newest, port)
  }

  /** Its node is lost, or is to be left: requests wait for the task that takes its place. */
  async #leave(next: Task): Promise<void> {
    const { swarm, log, service } = this.#parts
    const old = this.#current
    if (!old) return
    const node = await swarm.node(old.task.NodeID ?? '').catch(() => undefined)
    // A machine that does not answer is left before the swarm sees that its node is lost.
    const isLost = node?.Status.State !== 'ready' || this.#parts.places.at(old.task.NodeID) === undefined
    log.info({ name: service.name, from: old.task.NodeID, task: next.ID, isLost }, 'an instance is moved')
    this.#isLeading = false
    this.bridge.hold(isLost)
    old.gone.abort()
    this.#left = old.task
    this.#leftAt = performance.now()
    this.#current = undefined
  }

  #follow(task: Task): void {
    const gone = new AbortController()
    this.#current = { task, gone, read: this.#read(task, gone.signal) }
  }

  async #lead(task: Task, port: number): Promise<void> {
    const place = this.#parts.places.at(task.NodeID)
    const container = task.Status.ContainerStatus?.ContainerID ?? ''
    if (!place || !(await place.accepts(container, port))) return
    const connector = await place.connector(container, port)
    if (!connector || this.stopped.signal.aborted) return
    this.bridge.lead(connector)
    this.#isLeading = true
    if (this.#isReady) return
    this.#isReady = true
    this.listener?.message({ type: 'ready' })
  }

  async #read(task: Task, signal: AbortSignal): Promise<void> {
    try {
      const { stdout, stderr } = await this.#parts.swarm.taskOutput(task.ID, signal)
      stdout.pipe(this.stdout, { end: false })
      stderr.pipe(this.stderr, { end: false })
      await Promise.all(
        [stdout, stderr].map((stream) => new Promise((resolve) => stream.once('close', resolve))),
      )
    } catch (err) {
      if (!signal.aborted) this.#parts.log.debug({ err }, 'the output of a task cannot be read')
    }
  }

  async #end(task: Task): Promise<void> {
    const { ContainerStatus, Err = '' } = task.Status
    // It was never followed where it ended at once.
    if (this.#current?.task.ID !== task.ID) this.#follow(task)
    if (/^starting container failed|^No such image|^preparing/i.test(Err)) return this.#refused(task)
    const place = this.#parts.places.at(task.NodeID)
    const end = await place?.endOf(ContainerStatus?.ContainerID ?? '').catch(() => undefined)
    if (end?.reason !== undefined) this.stderr.write(`${end.reason}. It is ended.\n`)
    this.#over.resolve(
      end?.ranOutOfMemory
        ? { code: null, reason: 'memory' }
        : this.#killed || end?.reason !== undefined
          ? KILLED
          : { code: ContainerStatus?.ExitCode ?? 1, reason: 'exited' },
    )
  }

  #refused({ Status }: Task): void {
    const message = `The container could not be started: ${Status.Err ?? Status.State}`
    this.listener?.message({ type: 'failed', message })
    this.#over.resolve(undefined)
  }

  #stop(isKilled: boolean): void {
    this.#killed ||= isKilled
    this.#over.resolve(isKilled ? KILLED : { code: 0, reason: 'exited' })
    this.endsRun()
  }

  protected async remove(): Promise<void> {
    if (this.#killed) await this.#killTask()
    if (this.#id !== undefined) await this.#removeService(this.#id)
    await this.#closeOutput()
    await this.bridge.close().catch(() => {})
  }

  /** Else it has the time of a service that is stopped. */
  async #killTask(): Promise<void> {
    const { task } = this.#current ?? {}
    const container = task?.Status.ContainerStatus?.ContainerID
    if (task && container)
      await this.#parts.places
        .at(task.NodeID)
        ?.kill(container)
        .catch(() => {})
  }

  /** Until nothing runs of it; of a node that is lost nothing is heard, and it is not waited for. */
  async #removeService(id: string): Promise<void> {
    const { swarm, tasks, log, service } = this.#parts
    try {
      await swarm.removeService(id)
    } catch (err) {
      log.warn({ err, name: service.name }, 'a service could not be removed')
      return
    }
    const nodes = new Map((await swarm.nodes().catch(() => [])).map((node) => [node.ID, node.Status.State]))
    const gone = Promise.withResolvers<void>()
    const unfollow = tasks.follow(id, (left) => {
      const running = left.filter(
        ({ NodeID = '', Status }) => ACTIVE.has(Status.State) && nodes.get(NodeID) === 'ready',
      )
      if (running.length === 0) gone.resolve()
    })
    const late = new AbortController()
    await Promise.race([
      gone.promise,
      pause(service.graceMs + 15 * SECOND, undefined, { ref: false, signal: late.signal }).catch(() => {}),
    ])
    late.abort()
    unfollow()
  }

  /** What was written last may still be on its way. */
  async #closeOutput(): Promise<void> {
    const { read, gone } = this.#current ?? {}
    if (read) await withinTime(read, LAST_WORDS_MS)
    gone?.abort()
    this.stdout.end()
    this.stderr.end()
  }
}

const KILLED: SandboxExit = { code: null, reason: 'killed' }
const ACTIVE = new Set(['assigned', 'accepted', 'preparing', 'ready', 'starting', 'running'])

const isMoved = ({ Status }: Task): boolean => MOVED.test(Status.Err ?? '')

const endedByItself = ({ Status }: Task): boolean => Status.State === 'complete' || Status.State === 'failed'

/**
 * The task that ended by itself, of those of a service, the newest first. The swarm puts another into its place in the same
 * moment, so it is hardly ever the newest. What becomes of tasks older than the one that takes requests, or of those that
 * were left with their nodes, says nothing any more: a node that comes back tells of those that it lost.
 */
export function endedIn(
  tasks: readonly Task[],
  current: Task | undefined,
  left: Task | undefined,
): Task | undefined {
  const since = current?.CreatedAt ?? ''
  const after = left?.CreatedAt ?? ''
  return tasks.findLast((task) => endedByItself(task) && task.CreatedAt >= since && task.CreatedAt > after)
}
