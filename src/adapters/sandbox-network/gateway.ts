import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { readlink } from 'node:fs/promises'
import type { Server, Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { MINUTE } from '#contract/time.ts'
import { type Destinations, GATEWAY } from '#core/outbound/destinations.ts'
import { codeOf } from '../fs/error-code.ts'
import { runTool } from '../sandbox-bwrap/run-tool.ts'
import { TOOL_ENV } from '../sandbox-bwrap/tools.ts'
import { type Connections, createConnections } from './connections.ts'
import { createNameServer } from './name-server.ts'
import { USUAL_PORTS } from './reachable-ports.ts'
import { createResolverList } from './resolver-list.ts'

export interface GatewayTools {
  readonly ip: string
  readonly nsenter: string
  readonly sh: string
  readonly unshare: string
}

export interface GatewayOptions {
  readonly tools: GatewayTools
  readonly destinations: Destinations
  /** Whether a user namespace is made for it, which is how an ordinary user may make networks. */
  readonly userns: boolean
  /** The ports that are reached without being named. */
  readonly ports?: readonly number[]
}

const BINDER = fileURLToPath(new URL('bind-sockets.cjs', import.meta.url))
const NAMES_PORT = 53
const FIRST_PORTS = [NAMES_PORT, 80, 443]
/** Each is a descriptor of this process; nobody should be able to use them up by naming ports. */
const MOST_PORTS = 2048
const READY = 'ready'
const BIND_WITHIN_MS = MINUTE

/**
 * Stays for as long as its input is open. Every address is its own, so that whatever a run connects to ends here, at
 * a socket that the platform holds. It passes no packet on: forwarding is off.
 */
const HOLD = `set -eu
ip=$1
mount -n -t tmpfs -o mode=755,size=1m tmpfs /run
mkdir /run/netns
"$ip" link set lo up
"$ip" addr add ${GATEWAY}/32 dev lo
"$ip" route add local default dev lo
echo ${READY}
exec cat > /dev/null`

/**
 * A network namespace of the platform's own that the networks of runs lead to. The platform holds the sockets in it
 * and decides, for each connection, where it goes on to.
 */
export class Gateway {
  readonly #options: GatewayOptions
  readonly #holder: ChildProcess
  readonly #connections: Connections
  readonly #names: ReturnType<typeof createNameServer>
  readonly #bound = new Set<number>()
  readonly #sockets = new Set<{ close(): unknown }>()
  #binding: Promise<void> = Promise.resolve()
  #binder: ChildProcess | undefined
  #closed = false

  private constructor(options: GatewayOptions, holder: ChildProcess) {
    this.#options = options
    this.#holder = holder
    this.#connections = createConnections(options.destinations)
    this.#names = createNameServer({ destinations: options.destinations, resolvers: createResolverList() })
  }

  /** Throws where this machine does not let it. */
  static async open(options: GatewayOptions): Promise<Gateway> {
    const { tools, userns, ports = USUAL_PORTS } = options
    const holder = spawn(
      tools.unshare,
      [
        ...(userns ? ['--user', '--map-root-user'] : []),
        ...['--net', '--mount', '--propagation', 'private', '--', tools.sh, '-c', HOLD, 'sh', tools.ip],
      ],
      { cwd: '/', env: TOOL_ENV, stdio: ['pipe', 'pipe', 'pipe'], detached: true },
    )
    holder.stdin.on('error', () => {})
    await ready(holder)
    holder.unref()
    for (const stream of [holder.stdin, holder.stdout, holder.stderr]) (stream as Socket).unref()
    const gateway = new Gateway(options, holder)
    try {
      const first = new Set([...FIRST_PORTS, ...(options.destinations.servicePorts ?? [])])
      // The others take some tenths of a second, for which nobody should have to wait.
      const others = ports.filter((port) => !first.has(port))
      const { promise: begun, resolve } = Promise.withResolvers<void>()
      const all = gateway.#bind({ host: GATEWAY, port: NAMES_PORT }, [...first, ...others], (bound) => {
        if (bound > first.size) resolve()
      })
      await Promise.race([begun, all])
      all.catch(() => {})
      return gateway
    } catch (error) {
      await gateway.close()
      throw error
    }
  }

  get pid(): number {
    return this.#holder.pid as number
  }

  /** Whether its process is gone, so that nothing can enter it any more. What is in it already still reaches it. */
  get ended(): boolean {
    return this.#holder.exitCode !== null || this.#holder.signalCode !== null
  }

  /**
   * The same, as it is at this moment. A process that was killed gives up its namespaces some time before anybody is
   * told of its end: whoever could not enter it asks here why.
   */
  async hasEnded(): Promise<boolean> {
    if (this.ended) return true
    try {
      await readlink(`/proc/${this.pid}/ns/net`)
      return false
    } catch (error) {
      if (!['ENOENT', 'ESRCH'].includes(codeOf(error) ?? '')) return false
    }
    if (!this.ended) {
      this.#holder.ref()
      await once(this.#holder, 'exit')
    }
    return true
  }

  /** What a program is started with to find itself among the gateway's namespaces, its own network included or not. */
  enter(...namespaces: readonly string[]): readonly string[] {
    const user = this.#options.userns ? [`--user=/proc/${this.pid}/ns/user`, '--preserve-credentials'] : []
    return [...user, ...namespaces]
  }

  /** `ip` in the gateway's own network. */
  ip(args: readonly string[], input?: string): Promise<string> {
    return runTool(this.#options.tools.nsenter, [...this.#inside(), this.#options.tools.ip, ...args], input)
  }

  /** The file by which a network that was made there is entered. */
  fileOf(network: string): string {
    return `/proc/${this.pid}/root/run/netns/${network}`
  }

  /** Lets runs reach these ports too. */
  async reach(ports: readonly number[]): Promise<void> {
    const room = Math.max(0, MOST_PORTS - this.#bound.size)
    const wanted = ports.filter((port) => !this.#bound.has(port)).slice(0, room)
    if (wanted.length > 0 && !this.#closed) await this.#bind(undefined, wanted)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#binder?.kill('SIGKILL')
    await this.#binding.catch(() => {})
    this.#connections.close()
    for (const socket of this.#sockets) socket.close()
    this.#sockets.clear()
    if (this.ended) return
    const gone = once(this.#holder, 'exit')
    this.#holder.ref()
    this.#holder.stdin?.end()
    await gone
  }

  #inside(): readonly string[] {
    const own = `/proc/${this.pid}/ns`
    return [...this.enter(`--net=${own}/net`, `--mount=${own}/mnt`), '--']
  }

  /** One after the other: which ports are bound is known at the end of each. */
  #bind(
    names: object | undefined,
    ports: readonly number[],
    onBound: (count: number) => void = () => {},
  ): Promise<void> {
    this.#binding = this.#binding
      .catch(() => {})
      .then(() =>
        this.#bindNow(
          names,
          ports.filter((port) => !this.#bound.has(port)),
          onBound,
        ),
      )
    return this.#binding
  }

  async #bindNow(
    names: object | undefined,
    ports: readonly number[],
    onBound: (count: number) => void,
  ): Promise<void> {
    if (this.#closed || (ports.length === 0 && !names)) return
    const own = `/proc/${this.pid}/ns`
    const order = JSON.stringify({ names, ports })
    const binder = spawn(
      this.#options.tools.nsenter,
      // Its last argument tells whose it is.
      [
        ...this.enter(`--net=${own}/net`),
        '--',
        process.execPath,
        BINDER,
        order,
        `aloft-gateway-${process.pid}`,
      ],
      { cwd: '/', env: TOOL_ENV, stdio: ['ignore', 'ignore', 'pipe', 'ipc'], timeout: BIND_WITHIN_MS },
    )
    this.#binder = binder
    let complaint = ''
    binder.stderr?.on('data', (chunk: Buffer) => {
      complaint += chunk.toString()
    })
    const { promise: all, resolve } = Promise.withResolvers<void>()
    const wanted = ports.length + (names ? 1 : 0)
    let missing = wanted
    binder.on('message', (message: { what: string; port?: number }, handle) => {
      if (message.what === 'names') this.#answer(handle as unknown as UdpSocket)
      else this.#accept(message.port as number, handle as unknown as Server)
      missing--
      onBound(wanted - missing)
      if (missing === 0) resolve()
    })
    const ended = once(binder, 'close')
    await Promise.race([all, ended])
    if (missing > 0)
      throw new Error(`no sockets could be bound in the gateway: ${complaint.trim() || 'no reason given'}`)
    binder.kill('SIGKILL')
    await ended
  }

  #answer(socket: UdpSocket): void {
    this.#sockets.add(socket)
    this.#names.serve(socket)
    socket.unref()
  }

  #accept(port: number, server: Server): void {
    this.#sockets.add(server)
    this.#bound.add(port)
    Object.assign(server, { allowHalfOpen: true, pauseOnConnect: port !== NAMES_PORT })
    server.on('error', () => {})
    server.on('connection', (socket: Socket) => {
      if (port === NAMES_PORT && socket.localAddress === GATEWAY) this.#names.serveStream(socket)
      else this.#connections.pass(socket)
    })
    server.unref()
  }
}

async function ready(holder: ChildProcess): Promise<void> {
  let complaint = ''
  holder.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk.toString()
  })
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject)
    holder.once('close', () => reject(new Error(complaint.trim() || 'the gateway ended at once')))
    holder.stdout?.once('data', () => resolve())
  })
}
