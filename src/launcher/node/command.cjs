'use strict'
// Programs that are servers of their own: run as a child, connections passed on byte by byte.
const { spawn } = require('child_process')
const net = require('net')
const os = require('os')
const readline = require('readline')
const { findPort, portVariables } = require('./host-network/own-port.cjs')
const { createOwnership } = require('./host-network/port-owner.cjs')

const DEFAULT_PORT = 3000
const HOSTS = ['127.0.0.1', '::1']
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 200

/** A connection to the port, if it is one that may be used: by the time it is open, the same listen that did before. */
async function open(host, port, ownership) {
  const before = ownership === undefined ? undefined : await ownership(host)
  if (ownership !== undefined && before === undefined) return undefined
  const socket = await new Promise((resolve) => {
    const attempt = net.connect({ host, port, allowHalfOpen: true })
    attempt.once('error', () => resolve(undefined))
    attempt.once('connect', () => resolve(attempt))
  })
  if (socket === undefined || ownership === undefined) return socket
  socket.on('error', () => {})
  if ((await ownership(host)) === before) return socket
  socket.destroy()
  return undefined
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** The host on which the port takes connections, once it does. */
async function accepting(port, ownership, isOver) {
  for (let ms = FIRST_PAUSE_MS; !isOver(); ms = Math.min(ms * 2, LONGEST_PAUSE_MS)) {
    for (const host of HOSTS) {
      const socket = await open(host, port, ownership)
      if (socket === undefined) continue
      socket.destroy()
      return host
    }
    await pause(ms)
  }
  return undefined
}

function bridge(socket, upstream) {
  const end = () => {
    socket.destroy()
    upstream.destroy()
  }
  upstream.setNoDelay(true)
  for (const one of [socket, upstream]) {
    one.on('error', end)
    one.on('close', end)
  }
  socket.pipe(upstream)
  upstream.pipe(socket)
}

/** Where programs share the network of this machine: a port that is the command's own, and a way to know that it is. */
async function ownAddress(asked, { sites, folder }) {
  const own = await findPort()
  return {
    port: own,
    env: portVariables(process.env, { asked, own, sites, folder }),
    ownership: createOwnership(own),
  }
}

/** Hands on what a launcher of ours says of its program, one JSON message a line. It is no more trusted than that one. */
function listen(pipe, tell) {
  readline.createInterface({ input: pipe }).on('line', (line) => {
    try {
      tell(JSON.parse(line))
    } catch (_) {
      // Not a message.
    }
  })
  pipe.on('error', () => {})
}

/**
 * Starts the command. `ready` resolves when it takes connections (or is over); `finished` with its exit code. With `tell`
 * it can say things on the descriptor 3.
 */
async function runCommand(argv, root, hostNetwork, tell) {
  const asked = Number(process.env.PORT) || DEFAULT_PORT
  const { port, env, ownership } =
    hostNetwork === undefined
      ? { port: asked, env: { PORT: String(asked) } }
      : await ownAddress(asked, hostNetwork)
  let over = false
  let host
  const child = spawn(argv[0], argv.slice(1), {
    cwd: root,
    env: Object.assign({}, process.env, env),
    stdio: ['ignore', 'inherit', 'inherit'].concat(tell === undefined ? [] : ['pipe']),
  })
  if (tell !== undefined && child.stdio[3]) listen(child.stdio[3], tell)
  const finished = new Promise((resolve, reject) => {
    child.once('error', (error) => {
      over = true
      reject(error)
    })
    child.once('exit', (code, signal) => {
      over = true
      resolve(signal ? 128 + os.constants.signals[signal] : code)
    })
  })
  const ready = accepting(port, ownership, () => over).then((found) => {
    host = found
    return found !== undefined && !over
  })
  return {
    ready,
    finished,
    connect(socket) {
      socket.on('error', () => socket.destroy())
      // Nobody is to come before it takes connections; who does is turned away.
      if (host === undefined) {
        socket.destroy()
        return
      }
      open(host, port, ownership).then((upstream) => {
        if (upstream === undefined) socket.destroy()
        else if (socket.destroyed) upstream.destroy()
        else bridge(socket, upstream)
      })
    },
    kill: (signal) => child.kill(signal),
  }
}

module.exports = { runCommand }
