'use strict'
// Loaded by programs of Node that share this machine with others, before anything of their own.
const { moveListening, moveConnections } = require('./moved-ports.cjs')
const { keepPackagesWithin } = require('./own-packages.cjs')

function read() {
  try {
    return JSON.parse(process.env.ALOFT_HOST_NETWORK)
  } catch (_) {
    // Started by hand, or with variables of its own: then nothing is moved.
    return undefined
  }
}

const shared = read()
if (shared) {
  moveListening(shared)
  moveConnections(shared)
  if (shared.folder) keepPackagesWithin(shared.folder)
}
