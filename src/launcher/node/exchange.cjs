'use strict'
// One request and its answer, and how code that runs finds the exchange it runs for.
const { EventEmitter } = require('events')
const { AsyncLocalStorage } = require('async_hooks')

const EXCHANGE = Symbol('exchange')

/** Before Node 12.17 nothing tells which request code runs for. */
const storage = AsyncLocalStorage
  ? new AsyncLocalStorage()
  : { getStore: () => undefined, run: (_exchange, act, ...args) => act(...args) }

const current = () => storage.getStore()
const inside = (exchange, act, ...args) => storage.run(exchange, act, ...args)

/** Events of a request come from the connection, outside of everything: listeners shall know their exchange. */
function emitInside(...args) {
  const exchange = this[EXCHANGE]
  const { emit } = EventEmitter.prototype
  if (current() === exchange) return emit.apply(this, args)
  return storage.run(exchange, () => emit.apply(this, args))
}

/** Makes listeners of these emitters run inside the exchange. */
function bind(exchange, emitters) {
  if (!AsyncLocalStorage) return
  for (const emitter of emitters) {
    Object.defineProperty(emitter, EXCHANGE, { value: exchange })
    emitter.emit = emitInside
  }
}

/**
 * Counts what was given to `waitUntil`, and tells `changed` how much of it outlives its response.
 */
function createExchanges(changed) {
  let background = 0
  const idle = []

  function add(n) {
    background += n
    changed(background)
    if (background === 0) for (const resolve of idle.splice(0)) resolve()
  }

  function waitUntil(exchange, promise) {
    const late = exchange === undefined || exchange.finished
    if (exchange !== undefined) exchange.pending += 1
    if (late) add(1)
    const settled = () => {
      if (exchange !== undefined) exchange.pending -= 1
      if (late || (exchange !== undefined && exchange.finished)) add(-1)
    }
    Promise.resolve(promise).then(settled, (error) => {
      console.error(error)
      settled()
    })
  }

  return {
    begin(id, req) {
      const exchange = {
        id: id,
        finished: false,
        pending: 0,
        partial: undefined,
        context: undefined,
        res: undefined,
      }
      const own = (promise) => waitUntil(exchange, typeof promise === 'function' ? promise() : promise)
      exchange.context = {
        waitUntil: own,
        get headers() {
          return req.headers
        },
      }
      return exchange
    },
    end(exchange) {
      if (exchange.finished) return
      exchange.finished = true
      if (exchange.pending > 0) add(exchange.pending)
    },
    /** For code that runs for no exchange that we know of. */
    outside: { waitUntil: (promise) => waitUntil(undefined, promise) },
    /** Resolves when nothing given to `waitUntil` is pending. */
    idle: () => (background === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  }
}

/** Where `@vercel/functions` and Next.js look for the request that code runs for. */
function publishContext(exchanges) {
  const get = () => {
    const exchange = current()
    return exchange === undefined ? exchanges.outside : exchange.context
  }
  Object.defineProperty(global, Symbol.for('@vercel/request-context'), {
    value: { get },
    configurable: true,
    writable: true,
    enumerable: false,
  })
}

module.exports = { bind, createExchanges, current, inside, publishContext }
