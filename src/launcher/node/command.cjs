'use strict'
// Programs that are servers of their own: run as a child, connections passed on byte by byte.
const { spawn } = require('child_process')
const net = require('net')
const os = require('os')

const DEFAULT_PORT = '3000'
const HOSTS = ['127.0.0.1', '::1']
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 200

const connectOnce = (host, port) =>
  new Promise((resolve) => {
    const socket = net.connect({ host, port })
    const end = (value) => () => {
      socket.destroy()
      resolve(value)
    }
    socket.once('connect', end(host))
    socket.once('error', end(undefined))
  })

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** The host on which the port takes connections, once it does. */
async function accepting(port, isOver) {
  for (let ms = FIRST_PAUSE_MS; !isOver(); ms = Math.min(ms * 2, LONGEST_PAUSE_MS)) {
    for (const host of HOSTS) {
      const found = await connectOnce(host, port)
      if (found !== undefined) return found
    }
    await pause(ms)
  }
  return undefined
}

function bridge(socket, host, port, open) {
  const upstream = net.connect({ host, port, allowHalfOpen: true })
  const end = () => {
    socket.destroy()
    upstream.destroy()
    open.delete(socket)
  }
  open.add(socket)
  upstream.setNoDelay(true)
  for (const one of [socket, upstream]) {
    one.on('error', end)
    one.on('close', end)
  }
  socket.pipe(upstream)
  upstream.pipe(socket)
}

/**
 * Starts the command. `ready` resolves when it takes connections (or is over); `finished` with its exit code.
 */
function runCommand(argv, root) {
  const port = process.env.PORT || DEFAULT_PORT
  const env = Object.assign({}, process.env, { PORT: port })
  const open = new Set()
  let over = false
  let host
  const child = spawn(argv[0], argv.slice(1), { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
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
  const ready = accepting(Number(port), () => over).then((found) => {
    host = found
    return found !== undefined && !over
  })
  return {
    ready,
    finished,
    connect: (socket) => bridge(socket, host, Number(port), open),
    kill: (signal) => child.kill(signal),
  }
}

module.exports = { runCommand }
