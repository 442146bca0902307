// Runs on Bun, as the command of the launcher in ../node: loads one program and makes it answer on PORT, whether it
// listens by itself, on whichever port, or only exports something that answers.
import http from 'node:http'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { contextOf, followRequests, withMessage, withRequest } from './requests.mjs'

const require = createRequire(import.meta.url)
const { findAnswer } = require('../node/handler/exported.cjs')
const { addHelpers } = require('../node/handler/helpers.cjs')
const { byMethod, hasMethods } = require('../node/handler/web-handler.cjs')

const HOST = '127.0.0.1'
const port = Number(process.env.PORT)
const entry = resolve(process.argv[2])
process.argv.splice(1, 2, entry)

/** The first server that is made to listen on a port gets ours; it is the one that visitors mean. */
let listens = false
function takesOver(options) {
  if (listens || options?.unix !== undefined || options?.path !== undefined) return false
  listens = true
  return true
}

const { serve } = Bun
Bun.serve = (options) => serve(takesOver(options) ? { ...followed(options), hostname: HOST, port } : options)

/** With functions that know which request they are called for. */
function followed({ fetch, routes, ...options }) {
  const handler = (value) => (typeof value === 'function' ? withRequest(value) : value)
  const route = (value) =>
    Object.getPrototypeOf(value ?? 0) === Object.prototype ? mapped(value, handler) : handler(value)
  return {
    ...options,
    ...(fetch && { fetch: withRequest((...args) => fetch.apply(options, args)) }),
    ...(routes && { routes: mapped(routes, route) }),
  }
}

const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))

const { listen } = http.Server.prototype
http.Server.prototype.listen = function (...args) {
  const callback = args.findLast((value) => typeof value === 'function')
  if (!takesOver(args[0])) return listen.apply(this, args)
  const { emit } = this
  this.emit = (event, ...rest) =>
    event === 'request'
      ? withMessage(rest[0], rest[1], () => emit.call(this, event, ...rest))
      : emit.call(this, event, ...rest)
  return listen.call(this, port, HOST, callback)
}

followRequests()

const exported = await import(entry)
if (!listens) await answerWith(exported)

async function answerWith(exported) {
  const main = await exported.default
  if (hasMethods(exported)) return Bun.serve({ fetch: withContext(byMethod(exported)) })
  // As Bun itself does with what a program exports.
  if (typeof main?.fetch === 'function')
    return Bun.serve({ ...settingsOf(main), fetch: (...args) => main.fetch(...args) })
  const shape = await findAnswer(exported, { helpers: process.env.NODEJS_HELPERS !== '0', web: false })
  if (shape === undefined) {
    console.error(
      `${process.argv[1]} exports nothing that handles requests, and no server is listening. ` +
        'Export an object with fetch, functions named after methods such as GET, or a function (req, res); or call Bun.serve.',
    )
    process.exit(1)
  }
  if (shape.hasHelpers)
    addHelpers({ request: http.IncomingMessage.prototype, response: http.ServerResponse.prototype })
  http.createServer((req, res) => shape.answer(req, res)).listen(port)
}

function withContext(handle) {
  return (request) => handle(request, contextOf())
}

/** An application may be an instance of a class, with a lot that is none of the server's business. */
function settingsOf({ websocket, error, idleTimeout, maxRequestBodySize }) {
  const known = { websocket, error, idleTimeout, maxRequestBodySize }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}
