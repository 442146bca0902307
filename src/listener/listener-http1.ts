import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { showLimit } from '#contract/amounts.ts'
import type { TrustedProxies } from '#core/access/trusted-proxies.ts'
import type { Log } from '#core/ports/log.ts'
import type { ListenerLimits } from './listener-limits.ts'
import { badRequest, type Refusal, refusalWire, refuse } from './listener-refusal.ts'
import type { Handle } from './listener-request.ts'

/** Takes over the connections of the upgrade requests it accepts; all others are ordinary requests. */
export interface UpgradeHandler {
  accepts(req: IncomingMessage): boolean
  handle(req: IncomingMessage, socket: Duplex, head: Buffer): void
}

interface Http1Options {
  readonly dispatch: Handle
  readonly upgrade: UpgradeHandler | undefined
  readonly trustedProxies: TrustedProxies | undefined
  readonly limits: ListenerLimits
  readonly log: Log
}

interface Http1 {
  /** Listens itself for plain connections; those from TLS are given to it as `connection` events. */
  readonly server: Server
  /** From now on every connection ends with the last request that it has sent. */
  beginDrain(): void
  /** The same for the connections that there are, but not for those to come. */
  renew(): void
  /** Ends connections that serve nothing and have sent nothing since the sweep before. */
  sweep(): void
}

interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Whether somebody deals with it. */
  isBegun: boolean
}

interface Connection {
  readonly socket: Socket
  /** Requests without a whole response, in the order in which they came. */
  readonly open: Exchange[]
  upgraded: boolean
  /** It ends with the next answer. */
  leaving: boolean
  /** The last thing to say on this connection, once the responses before it are out. */
  refusal: Refusal | undefined
  refused: boolean
  bytesAtSweep: number
}

/**
 * Requests of one connection that are dealt with at the same time. A few kilobytes may hold thousands, and each may open a file or
 * call a function long before its answer can be sent: the others wait until one before them was answered.
 */
const AT_ONCE = 8

/**
 * With so many, nothing more is read of the connection until some of them were answered. node:http, which makes fifty times as much
 * of a short request as came, does not count them.
 */
const READ_AHEAD = 64

/** How long a refused peer may go on sending: closing at once would reset the line and lose our answer. */
const LINGER_MS = 2_000
/** How much of it is read meanwhile, and how often it is looked whether more has come. */
const LINGER_BYTES = 16 * 1024 * 1024
const LINGER_STEP_MS = 10

export function createHttp1({ dispatch, upgrade, trustedProxies, limits, log }: Http1Options): Http1 {
  const connections = new Map<Duplex, Connection>()
  let draining = false

  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(5_000, Math.max(50, limits.headersTimeoutMs / 4)),
    // Refused by the dispatch instead, with a body.
    requireHostHeader: false,
    // A request that announces no body has ended when it is handed on, and tells nobody so: neither `end` nor `close` is emitted.
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: (req) =>
      upgrade !== undefined &&
      !req.socket.writableEnded &&
      connectionOf(req.socket).open.length === 0 &&
      upgrade.accepts(req),
  })
  // Not every release of Node refuses what is past this count, some drop it without a word. So it is one
  // more than the limit, and the dispatch counts too.
  server.maxHeadersCount = limits.maxHeaders + 1
  server.timeout = limits.stallMs
  // A peer that has said all it wants to say still gets its answer. Not in Node's types.
  Object.assign(server, { httpAllowHalfOpen: true })

  function connectionOf(socket: Socket): Connection {
    let connection = connections.get(socket)
    if (!connection) {
      connection = {
        socket,
        open: [],
        upgraded: false,
        leaving: false,
        refusal: undefined,
        refused: false,
        bytesAtSweep: -1,
      }
      connections.set(socket, connection)
      const { open } = connection
      // So does node:http, in its own words, for what it has paused.
      socket.on('resume', () => hold({ socket, open }))
      socket.once('close', () => {
        connections.delete(socket)
        // node:http tells nobody but the response whose turn it is, and the others would be made for ever.
        for (const { res } of [...open]) if (res.socket === null) res.destroy().emit('close')
      })
    }
    return connection
  }

  /** Undefined when the connection is already promised to end before this request, or has its last answer. */
  function begin(req: IncomingMessage, res: ServerResponse): Exchange | undefined {
    if (req.socket.writableEnded) return undefined
    const connection = connectionOf(req.socket)
    const previous = connection.open.at(-1)
    if (draining || connection.leaving) {
      if (previous?.res.shouldKeepAlive === false) {
        if (previous.res.headersSent) return undefined
        previous.res.shouldKeepAlive = true
      }
      res.shouldKeepAlive = false
    }
    const exchange = { req, res, isBegun: connection.open.length < AT_ONCE }
    connection.open.push(exchange)
    // Not now: node:http reads on after each request that it has handed on.
    if (connection.open.length === READ_AHEAD) process.nextTick(hold, connection)
    // Before node:http ends the connection with this answer, although more of the request may be on its way.
    res.once('prefinish', () => {
      if (!req.complete) lingerInstead(req)
    })
    res.once('close', () => {
      connection.open.splice(connection.open.indexOf(exchange), 1)
      if (connection.open.length === READ_AHEAD - 1) connection.socket.resume()
      if (connection.refusal) settle(connection)
      const next = connection.open[AT_ONCE - 1]
      if (next === undefined || next.isBegun || connection.socket.destroyed) return
      next.isBegun = true
      dispatch(next.req, next.res)
    })
    return exchange
  }

  /** Says the refusal as soon as its turn has come: never into or before the response to an earlier request. */
  function settle(connection: Connection): void {
    const { socket, refusal } = connection
    const [first] = connection.open
    if (!refusal || connection.refused || first?.req.complete) return
    connection.refused = true
    // The malformed part is the body of a request that has an answer under way: nothing can be added to it.
    if (!socket.writable || first?.res.headersSent) {
      socket.destroy()
      return
    }
    socket.end(refusalWire(refusal))
    linger(socket)
  }

  function refuseConnection(socket: Socket, refusal: Refusal): void {
    const connection = connectionOf(socket)
    connection.refusal ??= refusal
    settle(connection)
  }

  function serve(req: IncomingMessage, res: ServerResponse): void {
    if (begin(req, res)?.isBegun) dispatch(req, res)
  }

  server.on('connection', connectionOf)
  server.on('request', serve)
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    const exchange = begin(req, res)
    if (exchange === undefined) return
    // Nobody else is to deal with it once its turn has come.
    exchange.isBegun = true
    refuse(res, badRequest('only the expectation 100-continue is supported', 417))
  })
  server.on('connect', (req, socket) => {
    socket.on('error', () => socket.destroy())
    refuseConnection(req.socket, badRequest('this server is not a proxy, CONNECT is refused'))
  })
  if (upgrade)
    server.on('upgrade', (req, socket, head) => {
      connectionOf(req.socket).upgraded = true
      req.socket.setTimeout(0)
      // The new owner may look for errors as well; that nobody does must not end the process.
      socket.on('error', () => socket.destroy())
      trustedProxies?.note(req)
      upgrade.handle(req, socket, head)
    })
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket
    // Each further piece of what a refused peer sends comes here as well.
    if (connectionOf(socket).refused) return
    const refusal = refusalFor(error, limits)
    if (!refusal || !socket.writable) {
      socket.destroy()
      return
    }
    log.debug({ err: error, remote: socket.remoteAddress }, 'malformed request')
    refuseConnection(socket, refusal)
  })
  server.on('timeout', (socket: Socket) => {
    const { open } = connectionOf(socket)
    const last = open.at(-1)
    const owesBytes = last !== undefined && !last.req.complete && isRead(last.req) && !socket.isPaused()
    if (last === undefined || owesBytes || socket.writableLength > 0) socket.destroy()
    // A slow handler is no fault of the peer's.
    else socket.setTimeout(limits.stallMs)
  })

  return {
    server,
    beginDrain() {
      draining = true
      this.renew()
    },
    renew() {
      for (const connection of connections.values()) {
        const last = connection.open.at(-1)
        connection.leaving = true
        if (last && !last.res.headersSent) last.res.shouldKeepAlive = false
      }
    },
    sweep() {
      for (const connection of connections.values()) {
        const { socket, open, upgraded, bytesAtSweep } = connection
        if (open.length === 0 && !upgraded && bytesAtSweep === socket.bytesRead) socket.destroySoon()
        connection.bytesAtSweep = socket.bytesRead
      }
    },
  }
}

/** Whether somebody waits for more of its body. Nobody does where it waits for its turn, or for whom it is passed on to. */
const isRead = (req: IncomingMessage): boolean =>
  req.readableFlowing === true || (req.listenerCount('readable') > 0 && req.readableLength === 0)

function hold({ socket, open }: Pick<Connection, 'socket' | 'open'>): void {
  if (open.length >= READ_AHEAD) socket.pause()
}

/**
 * Where node:http ends the connection, which it alone knows: an answer that says `Connection: close` does not tell by its
 * `shouldKeepAlive`.
 */
function lingerInstead(req: IncomingMessage): void {
  const { socket } = req
  socket.destroySoon = () => {
    Reflect.deleteProperty(socket, 'destroySoon')
    if (req.complete) return socket.destroySoon()
    socket.end()
    linger(socket)
  }
}

/**
 * Waits for the end of a peer that has its last answer. What it sends is thrown away, some of it at a time, so that whoever reads
 * only after sending gets to read; of more than that, nothing is read.
 */
function linger(socket: Socket): void {
  const most = socket.bytesRead + LINGER_BYTES
  const late = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  const step = setInterval(() => {
    if (socket.bytesRead >= most) clearInterval(step)
    else socket.resume()
    setImmediate(() => socket.pause())
  }, LINGER_STEP_MS).unref()
  socket.pause()
  socket.once('end', () => socket.destroy())
  socket.once('close', () => {
    clearTimeout(late)
    clearInterval(step)
  })
}

/** Nothing for errors of the line itself: there is nobody left to answer. */
function refusalFor({ code }: NodeJS.ErrnoException, limits: ListenerLimits): Refusal | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const { maxHeaderBytes, maxHeaders } = limits
    return badRequest(
      `the headers are too large, at most ${showLimit(maxHeaderBytes)} in ${maxHeaders} headers`,
    )
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return badRequest('the request took too long to arrive', 408)
  if (code === 'HPE_INVALID_EOF_STATE') return badRequest('the connection ended during the request')
  return code?.startsWith('HPE_') ? badRequest('this is not well-formed HTTP') : undefined
}
