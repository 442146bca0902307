'use strict'
// Finds out what a module exports, and how that answers requests.
const http = require('http')
const { eventAnswer } = require('./event-handler.cjs')
const { nodeAnswer } = require('./node-handler.cjs')
const { byMethod, hasMethods, webAnswer } = require('./web-handler.cjs')

const NESTED_DEFAULTS = 5
const MAJOR = Number(process.versions.node.split('.')[0])

const isFunction = (value) => typeof value === 'function'
const isServer = (value) =>
  value instanceof http.Server ||
  (isFunction(value.listen) &&
    isFunction(value.emit) &&
    isFunction(value.listenerCount) &&
    value.listenerCount('request') > 0)

/** Express, Connect and their kin have methods of their own for everything the helpers do. */
const isApp = (value) => isFunction(value.use) && (isFunction(value.handle) || Array.isArray(value.stack))

function web(handle) {
  if (MAJOR < 18)
    throw new Error(
      `Functions of a web Request need Node.js 18 or newer; this one runs on ${process.versions.node}.`,
    )
  return { answer: webAnswer(handle) }
}

const node = (handle, hasHelpers) => ({
  answer: nodeAnswer(handle, { hasHelpers }),
  hasHelpers,
})

const serverShape = (target) => ({
  answer: (req, res) => {
    if (!target.emit('request', req, res)) {
      res.statusCode = 404
      res.end()
    }
  },
  server: target,
})

/** How a value takes requests, or undefined. */
async function shapeOf(value, options) {
  if (value === null || (typeof value !== 'object' && !isFunction(value))) return undefined
  if (hasMethods(value)) return web(byMethod(value))
  // A function of a Request looks like any other: that it is one has to be said.
  if (options.web && isFunction(value)) return web(value)
  if (isFunction(value)) return node(value, options.helpers && !isApp(value))
  if (isServer(value)) return serverShape(value)
  if (isFunction(value.fetch)) return web((request, context) => value.fetch(request, context))
  // Koa
  if (isFunction(value.callback)) return node(value.callback(), false)
  // Fastify
  if (isFunction(value.routing) && isFunction(value.ready)) {
    await value.ready()
    return Object.assign(node(value.routing.bind(value), false), value.server ? { server: value.server } : {})
  }
  // Nest
  if (isFunction(value.init) && isFunction(value.getHttpServer)) {
    await value.init()
    return serverShape(value.getHttpServer())
  }
  // Hapi
  if (isFunction(value.initialize) && value.listener instanceof http.Server) {
    await value.initialize()
    return serverShape(value.listener)
  }
  // Polka, Restify
  if (isFunction(value.use) && isFunction(value.handler)) return node(value.handler.bind(value), false)
  if (isFunction(value.use) && value.server instanceof http.Server) return serverShape(value.server)
  return undefined
}

/** The innermost `default` first: compilers nest them. */
function candidatesOf(exported) {
  const found = [exported]
  for (let i = 0; i < NESTED_DEFAULTS; i += 1) {
    const last = found[0]
    if (last === null || (typeof last !== 'object' && !isFunction(last)) || !last.default) break
    found.unshift(last.default)
  }
  return found
}

/**
 * `{ answer, hasHelpers?, server? }` of what a module exports, or undefined where that is nothing that answers.
 * `helpers`: whether `(req, res)` functions get them. `web`: functions are of a web Request.
 */
async function findAnswer(exported, options) {
  // What a compiled `export default start()` leaves.
  const candidates = candidatesOf(await exported)
  candidates[0] = await candidates[0]
  for (const candidate of candidates) {
    const shape = await shapeOf(candidate, options)
    if (shape !== undefined) return shape
  }
  const events = candidates.find((candidate) => candidate && isFunction(candidate.handler))
  if (events !== undefined) return { answer: eventAnswer(events.handler) }
  return undefined
}

module.exports = { findAnswer, serverShape }
