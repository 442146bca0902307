'use strict'
// Functions of a web Request that return a Response. Node 18 or newer.
const { current } = require('../exchange.cjs')
const { answerError } = require('./node-handler.cjs')
const { sendResponse } = require('./web-response.cjs')

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']
const WINDOW = 64 * 1024

const firstOf = (value) => (value === undefined ? undefined : String(value).split(',', 1)[0].trim())

/** As the visitor wrote it. */
function urlOf({ headers, url }) {
  const proto = firstOf(headers['x-forwarded-proto']) === 'http' ? 'http' : 'https'
  const host = firstOf(headers['x-forwarded-host']) || headers.host || 'localhost'
  for (const origin of [`${proto}://${host}`, `${proto}://localhost`]) {
    try {
      return url.charAt(0) === '/' ? new URL(origin + url) : new URL(url, origin)
    } catch (_) {
      // A host that is none.
    }
  }
  return new URL(`${proto}://localhost/`)
}

function bodyOf(req) {
  const strategy = { highWaterMark: WINDOW, size: (chunk) => chunk.byteLength }
  let over = false
  return new ReadableStream(
    {
      start(controller) {
        const end = (act) => {
          if (over) return
          over = true
          act()
        }
        req.on('data', (chunk) => {
          if (over) return
          controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength))
          if (controller.desiredSize <= 0) req.pause()
        })
        req.on('end', () => end(() => controller.close()))
        const lost = () => end(() => controller.error(new TypeError('The client closed the connection')))
        req.on('error', lost)
        req.on('close', lost)
        req.pause()
      },
      pull() {
        req.resume()
      },
      cancel() {
        over = true
        req.resume()
      },
    },
    strategy,
  )
}

function toRequest(req, res) {
  const { method, rawHeaders } = req
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i], rawHeaders[i + 1])
  const gone = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  const hasBody =
    method !== 'GET' &&
    method !== 'HEAD' &&
    (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length']) > 0)
  const init = { method, headers, signal: gone.signal }
  if (hasBody) Object.assign(init, { body: bodyOf(req), duplex: 'half' })
  return new Request(urlOf(req), init)
}

/** An answer of `handle(request, context)`. */
function webAnswer(handle) {
  return async (req, res) => {
    try {
      const { waitUntil } = current().context
      const response = await handle(toRequest(req, res), { waitUntil })
      if (!res.destroyed) await sendResponse(response, req, res)
    } catch (error) {
      // An answer to nobody: most such errors say just that.
      if (!res.destroyed) answerError(res, error)
    }
  }
}

/** Named exports, each for a method. */
function byMethod(exported) {
  const handlers = new Map(METHODS.map((method) => [method, exported[method]]))
  const allowed = METHODS.filter((method) => typeof exported[method] === 'function')
  if (!handlers.get('HEAD')) handlers.set('HEAD', exported.GET)
  return (request, context) => {
    const handle = handlers.get(request.method)
    return typeof handle === 'function'
      ? handle(request, context)
      : new Response(null, { status: 405, headers: { allow: allowed.join(', ') } })
  }
}

const hasMethods = (exported) => METHODS.some((method) => typeof exported[method] === 'function')

module.exports = { byMethod, hasMethods, webAnswer }
