'use strict'
// Where programs share this machine's network, each has a port of its own in the place of the one that it asks for.
const net = require('net')

const LOOPBACK = ['localhost', '127.0.0.1', '::1', '0.0.0.0', '::']

/** The same arguments with another endpoint; both `listen` and `connect` take a port, or an object, first. */
function withEndpoint(args, change) {
  const copy = Array.prototype.slice.call(args)
  // `net.connect` has put its arguments in order already, and marks them by a symbol.
  if (Array.isArray(copy[0])) {
    const list = copy[0].slice()
    for (const key of Object.getOwnPropertySymbols(copy[0])) list[key] = copy[0][key]
    list[0] = change(Object.assign({}, list[0])) || list[0]
    copy[0] = list
    return copy
  }
  if (copy[0] !== null && typeof copy[0] === 'object') {
    copy[0] = change(Object.assign({}, copy[0])) || copy[0]
    return copy
  }
  if (!(Number(copy[0]) > 0)) return copy
  const hasHost = typeof copy[1] === 'string'
  const moved = change({ port: copy[0], host: hasHost ? copy[1] : undefined })
  if (moved === undefined) return copy
  copy.splice(0, hasHost ? 2 : 1, moved.port, ...(moved.host === undefined ? [] : [moved.host]))
  return copy
}

/** A server that asks for the usual port gets the program's own. */
function moveListening({ asked, own }) {
  const { listen } = net.Server.prototype
  net.Server.prototype.listen = function () {
    const args = withEndpoint(arguments, (to) =>
      Number(to.port) === asked ? Object.assign(to, { port: own }) : undefined,
    )
    return listen.apply(this, args)
  }
}

/** Whether the name is that of a site of this installation; `localhost` itself is the machine. */
const isSite = (host, sites) => {
  const name = String(host).toLowerCase().replace(/\.$/, '')
  return name.length > sites.domain.length && name.slice(-sites.domain.length - 1) === `.${sites.domain}`
}

/** A program that asks itself finds itself, and a site of this installation is found whatever the ports outside. */
function moveConnections({ asked, own, sites }) {
  const { connect } = net.Socket.prototype
  net.Socket.prototype.connect = function () {
    const args = withEndpoint(arguments, (to) => {
      if (to.path !== undefined && to.path !== null) return undefined
      const host = to.host || 'localhost'
      const port = Number(to.port)
      if (own !== undefined && port === asked && LOOPBACK.indexOf(host) !== -1)
        return Object.assign(to, { port: own })
      const target = sites && isSite(host, sites) ? sites.ports[port] : undefined
      return target === undefined ? undefined : Object.assign(to, { host: sites.address, port: target })
    })
    return connect.apply(this, args)
  }
}

module.exports = { moveConnections, moveListening }
