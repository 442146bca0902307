import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import {
  type Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
  type Server,
} from 'node:http'
import { createServer as createHttp2Server, getPackedSettings } from 'node:http2'
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import type { BlobStore, ByteRange } from '#core/ports/blob-store.ts'
import type { Bus } from '#core/ports/bus.ts'
import {
  type Lease,
  type LeaseOptions,
  type ProgramRef,
  type Runner,
  RunnerError,
} from '#core/ports/runner.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import type { Site, SiteFile, SiteFunction, SiteVisit } from '#core/site/site.ts'
import { createEdge, type Edge, type EdgeOptions } from '#edge/edge.ts'
import { giveConnection } from '#listener/listener-http2.ts'
import { silentLog } from '../silent-log.ts'

export const KEEP_ALIVE_MS = 5_000
export const MAX_HEADER_BYTES = 32 * 1024

type Contents = Readonly<Record<string, string | Buffer>>

export interface EdgeWorld {
  readonly edge: Edge
  readonly bus: Bus
  readonly visits: SiteVisit[]
  /** How often the source and the store were asked. */
  readonly asked: { finds: number; reads: number; opens: number }
  readonly blobs: Map<string, Buffer>
  readonly sites: Map<string, Site>
  addSite(host: string, contents: Contents, rest?: Partial<Omit<Site, 'host' | 'files'>>): Site
}

/** An edge over sites and contents in memory. */
export function createEdgeWorld(options: Partial<EdgeOptions> = {}): EdgeWorld {
  const blobs = new Map<string, Buffer>()
  const sites = new Map<string, Site>()
  const visits: SiteVisit[] = []
  const asked = { finds: 0, reads: 0, opens: 0 }
  const bus = options.bus ?? createMemoryBus({ log: silentLog })
  const edge = createEdge({
    sites: {
      async find(host) {
        asked.finds++
        return sites.get(host)
      },
    },
    blobs: createMemoryBlobs(blobs, asked),
    bus,
    visits: { record: (visit) => visits.push(visit) },
    clock: systemClock,
    log: silentLog,
    origin: 'iad1',
    budgetBytes: 32 * 1024 * 1024,
    keepAliveMs: KEEP_ALIVE_MS,
    firstRequestMs: 30_000,
    proxy: { allows: () => true },
    ...options,
  })
  return {
    edge,
    bus,
    visits,
    asked,
    blobs,
    sites,
    addSite(host, contents, rest = {}) {
      const files = new Map<string, SiteFile>()
      for (const [path, content] of Object.entries(contents)) {
        const bytes = Buffer.from(content)
        const sha256 = createHash('sha256').update(bytes).digest('hex')
        blobs.set(sha256, bytes)
        files.set(path, { sha256, size: bytes.length })
      }
      const site: Site = {
        host,
        deploymentId: `dpl_${host}`,
        projectId: 'prj_1',
        ownerId: 'owner_1',
        environment: 'production',
        status: 'ready',
        routes: undefined,
        functions: new Map(),
        directoryListing: false,
        sessionAffinity: 'random',
        routesFrom: 'request',
        ...rest,
        files,
      }
      sites.set(host, site)
      return site
    },
  }
}

/** Instances that are servers of the test's own process, and what was asked of them. */
interface Instances {
  readonly runner: Runner
  /** Of each lease that was given, in order. */
  readonly leases: LeaseRecord[]
  /** An instance answers for a program from now on, the newest one first; `close` kills it. */
  start(program: string, handler: RequestListener): Promise<Instance>
  /** The same for a server that speaks as it likes. */
  startRaw(program: string, onConnection: (socket: Socket) => void): Promise<Instance>
  close(): Promise<void>
}

interface LeaseRecord {
  readonly program: ProgramRef
  readonly affinity: string | undefined
  readonly socket: string
  ends: (string | undefined)[]
}

interface Instance {
  readonly socket: string
  readonly server: NetServer
  /** Connections so far. */
  connections: number
  /** Cuts all connections and takes no more. */
  close(): void
}

/** A runner over servers on unix sockets in a folder of its own. */
export async function createInstances(): Promise<Instances> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-edge-'))
  const running = new Map<string, Instance[]>()
  const leases: LeaseRecord[] = []
  let count = 0

  async function open(program: string, server: NetServer): Promise<Instance> {
    const socket = join(folder, `${count++}.sock`)
    const sockets = new Set<Socket>()
    const instance: Instance = {
      socket,
      server,
      connections: 0,
      close() {
        running.set(
          program,
          (running.get(program) ?? []).filter((other) => other !== instance),
        )
        server.close()
        for (const each of sockets) each.destroy()
      },
    }
    server.on('connection', (each: Socket) => {
      instance.connections++
      sockets.add(each)
      each.on('error', () => {})
      each.once('close', () => sockets.delete(each))
    })
    server.listen(socket)
    await once(server, 'listening')
    running.set(program, [instance, ...(running.get(program) ?? [])])
    return instance
  }

  return {
    leases,
    runner: {
      lease(program: ProgramRef, options?: LeaseOptions): Lease {
        const [instance] = running.get(program.program) ?? []
        if (instance === undefined) throw new RunnerError('absent', 'there is no such program')
        const record: LeaseRecord = {
          program,
          affinity: options?.affinity,
          socket: instance.socket,
          ends: [],
        }
        leases.push(record)
        return {
          instanceId: instance.socket,
          socket: instance.socket,
          release: (end) => record.ends.push(end),
        }
      },
    },
    start: (program, handler) => open(program, createServer({ keepAliveTimeout: 60_000 }, handler)),
    startRaw: (program, onConnection) => open(program, createNetServer(onConnection)),
    async close() {
      for (const instance of [...running.values()].flat()) instance.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Functions by path; a program has the name of its path unless another one is given. */
export const siteFunctions = (
  given: Readonly<Record<string, Partial<SiteFunction>>>,
): ReadonlyMap<string, SiteFunction> =>
  new Map(
    Object.entries(given).map(([path, rest]) => [
      path,
      { path, program: path, shape: 'handler', maxDuration: 10, ...rest },
    ]),
  )

function createMemoryBlobs(
  blobs: ReadonlyMap<string, Buffer>,
  asked: EdgeWorld['asked'],
): Pick<BlobStore, 'read' | 'open'> {
  return {
    async read(sha256) {
      asked.reads++
      return blobs.get(sha256)
    },
    async open(sha256, range?: ByteRange) {
      asked.opens++
      const bytes = blobs.get(sha256)
      return bytes && Readable.from(chunksOf(bytes.subarray(range?.start, range?.end)), { objectMode: false })
    },
  }
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

export interface Running {
  readonly port: number
  close(): Promise<void>
}

/** Serves the edge by node:http alone. */
export async function serveSlow(edge: Edge): Promise<Running> {
  const server = createHttp(edge)
  return listen(server, [server])
}

/** Serves the edge by its fast path, with node:http behind it. */
export async function serveFast(edge: Edge): Promise<Running & { handedOver(): number }> {
  const http = createHttp(edge)
  let handedOver = 0
  const server = createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    edge.fastPath.take(socket, (given) => {
      handedOver++
      http.emit('connection', given)
    }),
  )
  return { ...(await listen(server, [server, http])), handedOver: () => handedOver }
}

function createHttp(edge: Edge): Server {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
    shouldUpgradeCallback: (req) => edge.upgrade.accepts(req),
  })
  // As the platform's own listener: who has said all that they want to say still gets their answer.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('request', (req, res) => void edge.handle(req, res))
  server.on('upgrade', (req, socket, head) => edge.upgrade.handle(req, socket, head))
  // After the answers to all that was well-formed, as the platform's own listener does it.
  server.on('clientError', (_, socket) =>
    setImmediate(() => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
      else socket.destroy()
    }),
  )
  return server
}

async function listen(server: NetServer, servers: readonly NetServer[]): Promise<Running> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      for (const each of servers) each.close()
    },
  }
}

/**
 * Serves the edge over HTTP/2: its fast connections and streams, with the compatibility API behind them.
 * `handedOver` counts connections that node:http2 got as a whole, and those of which it got some streams.
 */
export async function serveHttp2(
  edge: Edge,
  isFast = true,
): Promise<Running & { readonly handedOver: { whole: number; relayed: number } }> {
  const handedOver = { whole: 0, relayed: 0 }
  const settings = { maxHeaderListSize: MAX_HEADER_BYTES }
  const server = createHttp2Server({ settings })
  server.on('request', (req, res) => void edge.handle(req, res))
  const [compat] = server.listeners('stream') as [(...args: unknown[]) => void]
  server.off('stream', compat)
  server.on('stream', (stream, headers, ...rest) => {
    if (!isFast || !edge.fastStreams.take(stream, headers)) compat.call(server, stream, headers, ...rest)
  })
  if (!isFast) return { ...(await listen(server, [server])), handedOver }
  const net = createNetServer({ noDelay: true }, (socket) =>
    edge.fastPath.takeHttp2(socket, {
      settings: getPackedSettings(settings),
      maxHeaderBytes: MAX_HEADER_BYTES,
      handOver(connection) {
        handedOver[connection === socket ? 'whole' : 'relayed']++
        giveConnection(server, connection, socket)
      },
    }),
  )
  return { ...(await listen(net, [net])), handedOver }
}

export interface Asked {
  readonly host?: string
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
  readonly agent?: Agent
}

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly text: string
}

/** One request on a connection of its own. */
export async function ask(port: number, path: string, asked: Asked = {}): Promise<Answered> {
  const { host = 'site.test', method = 'GET', headers = {}, body, agent = false } = asked
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const req = request({
    port,
    host: '127.0.0.1',
    path,
    method,
    headers: { host, ...length, ...headers },
    agent,
  })
  req.end(body)
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of res) chunks.push(chunk as Buffer)
  const whole = Buffer.concat(chunks)
  return {
    status: res.statusCode ?? 0,
    headers: res.headers,
    rawHeaders: res.rawHeaders,
    body: whole,
    text: whole.toString(),
  }
}

/** Comes back until all compressed forms of the first page are as small as they get, and so stay the same. */
export async function settleForms(port: number): Promise<void> {
  for (const encoding of ['br', 'zstd', 'gzip'])
    for (;;) {
      const { headers } = await ask(port, '/', {
        host: 'site.test',
        headers: { 'accept-encoding': encoding },
      })
      if (!headers.etag?.endsWith('-q"')) break
    }
}
