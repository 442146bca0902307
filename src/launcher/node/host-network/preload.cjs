'use strict'
// Loaded by programs of Node that share this machine's network with others, before anything of their own.
const { moveListening, moveConnections } = require('./moved-ports.cjs')

try {
  const { asked, own, sites } = JSON.parse(process.env.ALOFT_HOST_NETWORK)
  moveListening({ asked, own })
  moveConnections({ asked, own, sites })
} catch (_) {
  // Started by hand, or with variables of its own: then nothing is moved.
}
