'use strict'
// http.sock: takes connections and gives their requests to whatever answers at the moment.
const fs = require('fs')
const http = require('http')
const net = require('net')
const { bind, inside } = require('./exchange.cjs')

const ID_HEADER = 'x-aloft-request-id'
/** Which tags of what is kept were revalidated, and when. */
const TAGS_HEADER = 'x-aloft-revalidated'
const MAX_HEADER_SIZE = 64 * 1024
const LAST_ANSWERS_MS = 250
/** Connections that wait while the program computes. The kernel refuses those over it at once, which here may be many. */
const BACKLOG = 4096

const { setTimeout } = global

/** The classes of requests and responses, which helpers can be added to (Node 8.10 does not take classes). */
class Incoming extends http.IncomingMessage {}
class Outgoing extends http.ServerResponse {}
const takesClasses = Number(process.versions.node.split('.')[0]) > 8

/** Under it newer versions note how much of `rawHeaders` they make `headers` of, when somebody looks. */
let countKey
function forgetHeader(req) {
  if (countKey === undefined)
    countKey =
      Object.getOwnPropertySymbols(req).find((key) => String(key) === 'Symbol(kHeadersCount)') || null
  if (countKey !== null) req[countKey] -= 2
}

/** What the edge says with the request; user code does not see it. */
function takeOwn(req) {
  const raw = req.rawHeaders
  const own = { id: undefined, revalidated: undefined }
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]
    if (name.length !== ID_HEADER.length && name.length !== TAGS_HEADER.length) continue
    const known = name.toLowerCase()
    if (known !== ID_HEADER && known !== TAGS_HEADER) continue
    if (known === ID_HEADER) own.id = raw[i + 1]
    else own.revalidated = raw[i + 1]
    raw.splice(i, 2)
    forgetHeader(req)
    i -= 2
  }
  if (own.id !== undefined) delete req.headers[ID_HEADER]
  if (own.revalidated !== undefined) delete req.headers[TAGS_HEADER]
  return own
}

const REQUEST = Symbol('request')

/** The visitor's address, as the edge has seen it: connections come over a unix socket, which has none. */
function giveAddress(socket) {
  const address = () => {
    const req = socket[REQUEST]
    return (req && req.headers['x-real-ip']) || undefined
  }
  const family = () => {
    const version = net.isIP(address())
    return version === 0 ? undefined : `IPv${version}`
  }
  Object.defineProperties(socket, {
    [REQUEST]: { value: undefined, writable: true },
    remoteAddress: { get: address, configurable: true },
    remoteFamily: { get: family, configurable: true },
  })
}

/** What a visitor is told when user code failed; the error itself goes to the log only. */
function answerFailure(res) {
  if (res.headersSent) {
    if (!res.finished && res.socket) res.socket.destroy()
    return
  }
  const body = 'A server error has occurred\n\nFUNCTION_INVOCATION_FAILED\n'
  for (const name of res.getHeaderNames()) res.removeHeader(name)
  res.writeHead(500, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-vercel-error': 'FUNCTION_INVOCATION_FAILED',
  })
  res.end(body)
}

/** Many programs never end their side of a WebSocket: that of somebody who has gone would keep this one from ending. */
function closeWithVisitor(socket) {
  if (socket._readableState.ended) socket.destroy()
  else socket.once('end', () => socket.destroy())
}

function createServer({ exchanges, lines }) {
  /** What answers: a function of a request and a response. */
  let answer
  let onConnection
  let stopping = false
  let first = () => {}
  let onRevalidated = () => {}
  const open = new Set()
  const empty = []

  function begin(req, res) {
    const { id, revalidated } = takeOwn(req)
    if (revalidated !== undefined) onRevalidated(revalidated)
    const exchange = exchanges.begin(id, req)
    exchange.res = res
    const entry = { exchange, res }
    open.add(entry)
    entry.end = () => {
      if (!open.delete(entry)) return
      exchanges.end(exchange)
      lines.end(exchange)
      first()
      first = () => {}
      if (open.size === 0) for (const resolve of empty.splice(0)) resolve()
    }
    return entry
  }

  function onRequest(req, res) {
    if (!takesClasses) {
      Object.setPrototypeOf(req, Incoming.prototype)
      Object.setPrototypeOf(res, Outgoing.prototype)
    }
    req.socket[REQUEST] = req
    const { exchange, end } = begin(req, res)
    res.once('finish', end)
    res.once('close', end)
    if (stopping) res.setHeader('connection', 'close')
    bind(exchange, [req, res])
    inside(exchange, answer, req, res)
  }

  const parser = takesClasses
    ? http.createServer(
        { IncomingMessage: Incoming, ServerResponse: Outgoing, maxHeaderSize: MAX_HEADER_SIZE },
        onRequest,
      )
    : http.createServer(onRequest)
  // The edge decides how long a connection is kept and a request may take.
  Object.assign(parser, { timeout: 0, keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 })
  parser.maxRequestsPerSocket = 0

  /** Upgrades are taken from when the server listens for them: otherwise such requests are ordinary ones. */
  function forwardUpgrades(target) {
    const take = (req, socket, head) => {
      socket[REQUEST] = req
      const entry = begin(req, undefined)
      const { exchange, end } = entry
      entry.socket = socket
      socket.once('close', end)
      bind(exchange, [req])
      inside(exchange, () => target.emit('upgrade', req, socket, head))
    }
    if (target.listenerCount('upgrade') > 0) parser.on('upgrade', take)
    else
      target.on('newListener', (event) => {
        if (event === 'upgrade' && parser.listenerCount('upgrade') === 0) parser.on('upgrade', take)
      })
  }

  const toParser = (socket) => {
    // Node 10 takes the classes from there.
    socket.server = parser
    giveAddress(socket)
    parser.emit('connection', socket)
  }
  onConnection = toParser
  const front = net.createServer({ allowHalfOpen: true }, (socket) => onConnection(socket))

  return {
    prototypes: { request: Incoming.prototype, response: Outgoing.prototype },
    listen: (path) =>
      new Promise((resolve, reject) => {
        front.once('error', reject)
        front.listen({ path, backlog: BACKLOG }, () => {
          fs.chmodSync(path, 0o666)
          resolve()
        })
      }),
    answerWith(next) {
      answer = next
    },
    /** Gives whole connections away, bytes as they are. */
    connectWith(next) {
      onConnection = next
    },
    forwardUpgrades,
    onRevalidated(act) {
      onRevalidated = act
    },
    onFirstAnswer(act) {
      first = act
    },
    ref: () => front.ref(),
    unref: () => front.unref(),
    /** No further connections; resolves when every answer is out. */
    stop() {
      stopping = true
      front.close()
      for (const { res, socket } of open)
        if (socket) closeWithVisitor(socket)
        else if (!res.headersSent) res.setHeader('connection', 'close')
      return open.size === 0 ? Promise.resolve() : new Promise((resolve) => empty.push(resolve))
    },
    /** The process is about to end: whoever waits is told, for a moment. */
    abandon() {
      stopping = true
      front.close()
      for (const { res } of open) if (res) answerFailure(res)
      if (open.size === 0) return Promise.resolve()
      return new Promise((resolve) => {
        empty.push(resolve)
        setTimeout(resolve, LAST_ANSWERS_MS)
      })
    },
  }
}

module.exports = { answerFailure, createServer }
