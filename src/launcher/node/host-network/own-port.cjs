'use strict'
// A port for one program alone, where all programs share the network of this machine.
const net = require('net')
const path = require('path')

/** Below those that outgoing connections are given. */
const FIRST = 20000
const COUNT = 12000
const TRIES = 64

/** Whether nobody listens on it, whatever the address. */
const isFree = (port) =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', (error) => resolve(error.code === 'EAFNOSUPPORT'))
    server.listen(port, () => server.close(() => resolve(true)))
  })

async function findPort() {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (await isFree(port)) return port
  }
  throw new Error('This machine has no free port for the server')
}

/**
 * The variables by which a command learns of its port. One that listens on the usual port without a look at `PORT` is
 * moved to its own all the same, if it is a program of Node or Python: these load the files that are named here.
 */
function portVariables(env, { asked, own, sites, folder }) {
  const preload = `--require ${JSON.stringify(path.join(__dirname, 'preload.cjs'))}`
  const python = path.join(__dirname, '..', '..', 'python', 'preload')
  return {
    PORT: String(own),
    NODE_OPTIONS: env.NODE_OPTIONS ? `${preload} ${env.NODE_OPTIONS}` : preload,
    PYTHONPATH: env.PYTHONPATH ? `${python}:${env.PYTHONPATH}` : python,
    ALOFT_HOST_NETWORK: JSON.stringify({ asked, own, sites, folder }),
  }
}

module.exports = { findPort, portVariables }
