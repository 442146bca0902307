'use strict'
// Lines that are written while a request is answered go to the runner with the request's id.
const { current } = require('./exchange.cjs')

const MAX_LINE = 8192

/** At most 8 KB of a line, whole characters. */
function cut(line) {
  if (line.length * 3 <= MAX_LINE) return line
  const bytes = Buffer.from(line)
  if (bytes.length <= MAX_LINE) return line
  return bytes
    .slice(0, MAX_LINE)
    .toString()
    .replace(/\uFFFD+$/, '')
}

function createLines(log) {
  const send = (exchange, stream, text) =>
    log({ type: 'log', stream, text: cut(text.replace(/\r$/, '')), requestId: exchange.id })

  return {
    write(exchange, stream, text) {
      const partial = exchange.partial || { stdout: '', stderr: '' }
      exchange.partial = partial
      const lines = text.split('\n')
      const last = lines.pop()
      for (const line of lines) {
        send(exchange, stream, partial[stream] + line)
        partial[stream] = ''
      }
      // What is over the length that a line may have would be cut anyway.
      partial[stream] = (partial[stream] + last).slice(0, MAX_LINE)
      if (exchange.finished) this.end(exchange)
    },
    /** Of lines that were begun. */
    end(exchange) {
      const { partial } = exchange
      if (partial === undefined) return
      for (const stream of ['stdout', 'stderr']) {
        if (partial[stream] !== '') send(exchange, stream, partial[stream])
        partial[stream] = ''
      }
    },
  }
}

/** Replaces `write` of the two streams. Outside of requests they are written to as ever. */
function captureOutput(lines) {
  for (const name of ['stdout', 'stderr']) {
    const stream = process[name]
    const { write } = stream
    stream.write = function (chunk, encoding, callback) {
      const exchange = current()
      const isText = typeof chunk === 'string'
      if (exchange === undefined || exchange.id === undefined || !(isText || chunk instanceof Uint8Array))
        return write.apply(stream, arguments)
      lines.write(exchange, name, isText ? chunk : Buffer.from(chunk).toString())
      const done = typeof encoding === 'function' ? encoding : callback
      if (typeof done === 'function') process.nextTick(done)
      return true
    }
  }
}

module.exports = { captureOutput, createLines }
