'use strict'
// The line to the runner: JSON messages, one a line, both ways over a unix socket.
const fs = require('fs')
const net = require('net')

const MAX_LINE = 32 * 1024 * 1024
/** Of log lines that the runner has not taken yet. */
const MAX_WAITING = 1024 * 1024
const RETRY_MS = 5
const LAST_WORDS_MS = 500

// Kept from before any user code could replace them.
const { writeSync, chmodSync, unlinkSync } = fs
const { setImmediate, setTimeout } = global
const { stringify, parse } = JSON

const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/**
 * Messages are written to the descriptor itself: what has been written is out, so that nothing is lost when the
 * process exits in the next statement. Nobody ever waits for the runner; log lines are dropped when it is slow.
 */
function createControl() {
  let socket
  let waiting = []
  let size = 0
  let dropped = 0
  let rest
  let scheduled = false

  function push(message) {
    const line = `${stringify(message)}\n`
    waiting.push(line)
    size += line.length
  }

  function schedule(start) {
    if (scheduled) return
    scheduled = true
    start(() => {
      scheduled = false
      flush()
    })
  }

  /** True when everything is out. */
  function flush() {
    for (;;) {
      if (socket === undefined || socket.destroyed || !socket._handle) return true
      if (rest === undefined) {
        if (waiting.length === 0) {
          if (dropped === 0) return true
          push({ type: 'log', stream: 'stderr', text: `… ${dropped} lines dropped` })
          dropped = 0
        }
        rest = Buffer.from(waiting.join(''))
        waiting = []
      }
      let written = 0
      try {
        written = writeSync(socket._handle.fd, rest, 0, rest.length)
      } catch (error) {
        if (error.code !== 'EAGAIN') {
          socket.destroy()
          return true
        }
        schedule((next) => setTimeout(next, RETRY_MS))
        return false
      }
      size = Math.max(0, size - written)
      rest = written === rest.length ? undefined : rest.slice(written)
    }
  }

  return {
    /** Never dropped, out at once. */
    send(message) {
      push(message)
      flush()
    },
    /** Out at the end of this turn of the loop. */
    log(message) {
      if (socket === undefined) return
      if (size > MAX_WAITING) dropped += 1
      else push(message)
      schedule(setImmediate)
    },
    /** Before the process exits: gives the runner a moment to take the rest. */
    finish() {
      const deadline = Date.now() + LAST_WORDS_MS
      while (!flush() && Date.now() < deadline) pause(RETRY_MS)
    },
    ref() {
      if (socket) socket.ref()
    },
    unref() {
      if (socket) socket.unref()
    },
    /** Takes the first connection and no other. */
    listen(path, events) {
      const server = net.createServer((connection) => {
        if (socket !== undefined) {
          connection.destroy()
          return
        }
        socket = connection
        size = 0
        server.close()
        try {
          unlinkSync(path)
        } catch (_) {
          // Closing the server has removed it.
        }
        readLines(connection, events.message)
        connection.on('error', () => {})
        connection.on('close', events.close)
        events.open()
      })
      server.listen(path, () => chmodSync(path, 0o666))
    },
  }
}

function readLines(socket, take) {
  let parts = []
  let length = 0
  socket.on('data', (chunk) => {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(10, from)
      if (end === -1) break
      parts.push(chunk.slice(from, end))
      const line = Buffer.concat(parts).toString()
      parts = []
      length = 0
      from = end + 1
      if (line !== '') take(parse(line))
    }
    if (from < chunk.length) {
      parts.push(chunk.slice(from))
      length += chunk.length - from
      if (length > MAX_LINE) socket.destroy()
    }
  })
}

module.exports = { createControl }
