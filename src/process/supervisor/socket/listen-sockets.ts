import { lookup } from 'node:dns/promises'
import net from 'node:net'
import { getSystemErrorMessage, getSystemErrorName } from 'node:util'
import type { Config } from '../../../config/config.ts'
import { servingRange } from '../serving.ts'

const SOCKET_KINDS = ['http', 'tls', 'dns', 'ssh'] as const
type SocketKind = (typeof SOCKET_KINDS)[number]

/** Descriptors of sockets that are bound. Of one kind there is one for each serving process, or one that all share. */
export type SocketNumbers = Readonly<Record<SocketKind, readonly number[]>>

/**
 * The sockets that serving processes listen on. They belong to the supervisor: what a process has not accepted when it
 * ends stays with the system until another process accepts it.
 */
interface ListenSockets {
  readonly numbers: SocketNumbers
  /** From now on connections are refused as soon as no process listens any more. */
  close(): void
}

/** A socket that cannot be had, in words for the operator. */
export class SocketError extends Error {
  override readonly name = 'SocketError'
}

/** Node.js has this for its own cluster, though not in its documentation: it binds, and accepts nothing. */
interface Handle {
  readonly fd: number
  getsockname(into: { port?: number }): number
  close(): void
}
type CreateHandle = (
  address: string | null,
  port: number,
  family: 4 | 6 | -1,
  fd?: number,
  flags?: number,
) => Handle | number
const createHandle = (net as unknown as { _createServerHandle: CreateHandle })._createServerHandle
/** Several sockets on one port, among which the system spreads connections. */
const REUSE_PORT = 2

const VARIABLES = {
  http: 'ALOFT_PORT',
  tls: 'ALOFT_TLS_PORT',
  dns: 'ALOFT_DNS_PORT',
  ssh: 'ALOFT_SSH_PORT',
} as const

/** Something of each kind. */
const ofEach = <T>(make: (kind: SocketKind) => T): Readonly<Record<SocketKind, T>> =>
  Object.fromEntries(SOCKET_KINDS.map((kind) => [kind, make(kind)])) as Record<SocketKind, T>

/** Takes those that a service manager has passed on, and opens the others. */
export async function openSockets(
  config: Pick<Config, 'host' | 'port' | 'tlsPort' | 'dnsPort' | 'sshPort' | 'workers'>,
  find = lookup,
): Promise<ListenSockets> {
  const { host } = config
  const ports = { http: config.port, tls: config.tlsPort, dns: config.dnsPort, ssh: config.sshPort }
  const given = givenSockets(process.env)
  const opened: Handle[] = []
  const close = () => {
    for (const handle of [...opened.splice(0), ...given.splice(0).map((each) => each.handle)]) handle.close()
  }
  // The address at which DNS listens over UDP, and at which code that runs here asks for sites.
  const { address, family } = await find(host, { order: 'ipv4first' }).catch(() => {
    throw new SocketError(`ALOFT_HOST: no IP address was found for "${host}"`)
  })
  const one = (kind: SocketKind, flags: number): Handle => {
    const handle = createHandle(address, ports[kind], family === 6 ? 6 : 4, undefined, flags)
    // That a port is taken is told only by the first use of the handle.
    const error = typeof handle === 'number' ? handle : handle.getsockname({})
    if (typeof handle !== 'number') {
      if (error === 0) return handle
      handle.close()
    }
    throw new SocketError(
      getSystemErrorName(error) === 'EADDRINUSE'
        ? `port ${ports[kind]} on ${host} is in use; stop the program that uses it, or choose another port with ${VARIABLES[kind]}`
        : `cannot listen on ${host} port ${ports[kind]}: ${getSystemErrorMessage(error)}`,
    )
  }
  const numbersOf = (kind: SocketKind): readonly number[] => {
    if (ports[kind] === 0) return []
    const passed = given.find(({ port }) => port === ports[kind])
    if (passed) return [passed.handle.fd]
    const count = servingRange(config).most
    // Without sharing the port, so that a second installation on it is noticed.
    const first = one(kind, 0)
    if (count === 1) {
      opened.push(first)
      return [first.fd]
    }
    first.close()
    const handles = Array.from({ length: count }, () => one(kind, REUSE_PORT))
    opened.push(...handles)
    return handles.map(({ fd }) => fd)
  }
  try {
    return { numbers: ofEach(numbersOf), close }
  } catch (error) {
    close()
    throw error
  }
}

/** The first descriptor that a service manager passes on, by the convention of systemd. */
const FIRST_GIVEN = 3

/** Stream sockets by their ports. What is passed on belongs to whom the variables name, and is for nobody below. */
function givenSockets(env: NodeJS.ProcessEnv): { readonly handle: Handle; readonly port: number }[] {
  const { LISTEN_FDS: count = '0', LISTEN_PID: pid } = env
  delete env.LISTEN_FDS
  delete env.LISTEN_PID
  delete env.LISTEN_FDNAMES
  // Where Node.js is old, what was started is the parent of this process.
  if (Number(pid) !== process.pid && Number(pid) !== process.ppid) return []
  const found: { handle: Handle; port: number }[] = []
  for (let fd = FIRST_GIVEN; fd < FIRST_GIVEN + Number(count); fd++) {
    const handle = createHandle(null, 0, -1, fd)
    const name: { port?: number } = {}
    if (typeof handle === 'number' || handle.getsockname?.(name) !== 0 || name.port === undefined)
      throw new SocketError(`descriptor ${fd}, which was passed to listen on, is not a TCP socket`)
    found.push({ handle, port: name.port })
  }
  return found
}

/** The places of the descriptors in a child, after what every child has. */
const FIRST_SOCKET = 5

/** What a serving process inherits: all sockets, and which of them it takes connections from. */
export interface InheritedSockets {
  readonly numbers: SocketNumbers
  /** Which of the serving processes it is, from 0. */
  readonly own: number
  /** How many there are. */
  readonly of: number
}

/** Where a child finds the descriptors, and the descriptors in the order of their places. */
export function passSockets(numbers: SocketNumbers): {
  readonly places: SocketNumbers
  readonly descriptors: readonly number[]
} {
  const descriptors = SOCKET_KINDS.flatMap((kind) => numbers[kind])
  let next = FIRST_SOCKET
  return { places: ofEach((kind) => numbers[kind].map(() => next++)), descriptors }
}

/** Those that a process takes connections from: its own, several where there are more than processes. */
export const ownSockets = (all: readonly number[], own: number, of: number): readonly number[] =>
  all.length <= of
    ? all.slice(own % Math.max(1, all.length)).slice(0, 1)
    : all.filter((_, index) => index % of === own)
