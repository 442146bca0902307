'use strict'
// `req.body` is read without waiting, so the body has to be there before the handler is called; yet a handler may
// also read the request as a stream, and that has to give the same bytes.
const querystring = require('querystring')

/** A longer body is left to be read as a stream. */
const MAX_BODY = 6 * 1024 * 1024

const BODY = Symbol('body')
const NOTHING = Buffer.alloc(0)

class ApiError extends Error {
  constructor(statusCode, message) {
    super(message)
    this.name = 'ApiError'
    this.statusCode = statusCode
  }
}

const asText = (bytes) => bytes.toString()

function asJson(bytes) {
  const text = bytes.toString()
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch (_) {
    throw new ApiError(400, 'Invalid JSON')
  }
}

const PARSERS = {
  'application/json': asJson,
  'application/octet-stream': (bytes) => bytes,
  'application/x-www-form-urlencoded': (bytes) => querystring.parse(bytes.toString()),
  'text/plain': asText,
}

function parserOf(req) {
  const type = req.headers['content-type']
  if (type === undefined) return undefined
  const essence = type.split(';', 1)[0].trim().toLowerCase()
  return Object.prototype.hasOwnProperty.call(PARSERS, essence) ? PARSERS[essence] : undefined
}

/**
 * Calls `done` when the body is there, or it is clear that nobody can want it whole. What was read is put back: the
 * stream ends only when somebody reads it to its end.
 */
function gatherBody(req, done) {
  const { headers } = req
  const length = headers['content-length']
  const isEmpty = headers['transfer-encoding'] === undefined && (length === undefined || length === '0')
  if (isEmpty) req[BODY] = NOTHING
  if (parserOf(req) === undefined || isEmpty || Number(length) > MAX_BODY) {
    done()
    return
  }
  const state = req._readableState
  // Bun says that the request is complete only after somebody has read that it is.
  const isComplete = () => req.complete || (process.versions.bun !== undefined && state.ended)
  let chunks = []
  let size = 0
  const finish = () => {
    req.removeListener('readable', take)
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size)
    chunks = []
    if (size > 0) req.unshift(bytes)
    if (isComplete()) req[BODY] = bytes
    // The stream notices in the next tick that nobody waits for `readable` any more.
    process.nextTick(() => {
      if (req.listenerCount('readable') === 0) state.flowing = null
      done()
    })
  }
  const take = () => {
    // Reading past the last byte would end the stream.
    while (state.length > 0) {
      const chunk = req.read()
      if (chunk === null) break
      chunks.push(chunk)
      size += chunk.length
    }
    if (isComplete() || size > MAX_BODY) finish()
  }
  // For a client that leaves before its request is complete the handler is not called.
  req.on('readable', take)
}

/** What `req.body` is; throws an `ApiError` where it is not what its type says. */
function readBody(req) {
  const parse = parserOf(req)
  if (parse === undefined) return undefined
  if (req[BODY] === undefined)
    throw new ApiError(413, 'The body is too large to read at once; read the request as a stream')
  return parse(req[BODY])
}

module.exports = { ApiError, gatherBody, readBody }
