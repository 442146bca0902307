'use strict'
// Programs that call `listen` while they start: their server never gets a port, it answers http.sock instead.
const http = require('http')
const net = require('net')

const DEFAULT_PORT = 3000

const isHttp = (server) => server instanceof http.Server || server.listenerCount('request') > 0

/** The port and host that `listen` was asked for; undefined for paths, handles and descriptors. */
function endpointOf(args) {
  const [where, host] = args
  if (where === undefined || where === null || typeof where === 'function') return { port: 0 }
  if (typeof where === 'object') {
    if (where.path !== undefined || where.fd !== undefined || where.handle || where._handle) return undefined
    return { port: Number(where.port) || 0, host: where.host }
  }
  if (!(Number(where) >= 0)) return undefined
  return { port: Number(where), host: typeof host === 'string' ? host : undefined }
}

/** Makes a server believe that it listens. */
function pretend(server, { port, host }, callback) {
  const address = host || '::'
  const family = net.isIPv4(address) ? 'IPv4' : 'IPv6'
  let listening = true
  Object.defineProperty(server, 'listening', { get: () => listening, configurable: true })
  server.address = () => (listening ? { address, family, port: port || DEFAULT_PORT } : null)
  server.close = function (done) {
    const wasOpen = listening
    listening = false
    if (typeof done === 'function') {
      if (wasOpen) this.once('close', done)
      else
        process.nextTick(
          done,
          Object.assign(new Error('Server is not running.'), { code: 'ERR_SERVER_NOT_RUNNING' }),
        )
    }
    if (wasOpen) process.nextTick(() => this.emit('close'))
    return this
  }
  if (Symbol.asyncDispose)
    server[Symbol.asyncDispose] = () => new Promise((resolve) => server.close(() => resolve()))
  if (typeof callback === 'function') server.once('listening', callback)
  process.nextTick(() => server.emit('listening'))
}

/**
 * Watches for the first HTTP server that is made to listen on a port. `end` gives `listen` back; servers that share
 * the first one's port (Fastify makes one for each address of localhost) stay pretended.
 */
function watchListening(found) {
  const { listen } = net.Server.prototype
  let first
  let port
  net.Server.prototype.listen = function (...args) {
    const endpoint = isHttp(this) ? endpointOf(args) : undefined
    if (endpoint === undefined || (first !== undefined && endpoint.port !== port))
      return listen.apply(this, args)
    pretend(this, endpoint, args[args.length - 1])
    if (first === undefined) {
      first = this
      port = endpoint.port
      // After its own listeners have been told.
      this.once('listening', () => process.nextTick(() => found(this)))
    }
    return this
  }
  return {
    first: () => first,
    end() {
      net.Server.prototype.listen = listen
    },
  }
}

module.exports = { watchListening }
