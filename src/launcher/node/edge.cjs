'use strict'
// Functions that were written for an edge runtime: web handlers that expect its globals.
const fs = require('fs')
const Module = require('module')
const path = require('path')
const { fileURLToPath } = require('url')
const { webAnswer } = require('./handler/web-handler.cjs')

/** What such code may require; its other modules are bundled. */
const BUILTINS = ['assert', 'async_hooks', 'buffer', 'events', 'util']

const compile = (file) => new WebAssembly.Module(fs.readFileSync(file))

/** `import wasm from './x.wasm?module'` gives a compiled module. */
function addWasmImports() {
  if (typeof Module.registerHooks !== 'function') return
  const PREFIX = 'aloft-wasm:'
  global[Symbol.for(PREFIX)] = (url) => compile(fileURLToPath(url))
  Module.registerHooks({
    resolve(specifier, context, next) {
      if (!/\.wasm(?:\?module)?$/.test(specifier) || context.parentURL === undefined)
        return next(specifier, context)
      const url = new URL(specifier.replace(/\?module$/, ''), context.parentURL).href
      return { url: PREFIX + url, format: 'module', shortCircuit: true }
    },
    load(url, context, next) {
      if (url.slice(0, PREFIX.length) !== PREFIX) return next(url, context)
      const file = JSON.stringify(url.slice(PREFIX.length))
      const source = `export default globalThis[Symbol.for('${PREFIX}')](${file})`
      return { format: 'module', source, shortCircuit: true }
    },
  })
}

/** The globals of an edge runtime that Node lacks. `listeners` takes those of `fetch` events. */
function addGlobals(root, listeners) {
  const requireFromRoot = (name) => {
    if (/\.wasm$/.test(name)) return compile(path.join(root, path.join('/', name)))
    const builtin = name.replace(/^node:/, '')
    if (BUILTINS.indexOf(builtin) !== -1) return require(builtin)
    throw new Error(`Cannot find module '${name}' in the edge runtime`)
  }
  const globals = {
    EdgeRuntime: 'edge-runtime',
    self: global,
    AsyncLocalStorage: require('async_hooks').AsyncLocalStorage,
    require: requireFromRoot,
    addEventListener: (type, listener) => {
      if (type === 'fetch') listeners.push(listener)
    },
    removeEventListener: () => {},
  }
  for (const name of Object.keys(globals))
    if (global[name] === undefined)
      Object.defineProperty(global, name, { value: globals[name], writable: true, configurable: true })
}

/** A web handler that gives the request to a listener of `fetch` events. */
const byEvent = (listener) => (request, context) =>
  new Promise((resolve, reject) => {
    const event = {
      type: 'fetch',
      request,
      waitUntil: context.waitUntil,
      respondWith: (response) => Promise.resolve(response).then(resolve, reject),
    }
    Promise.resolve(listener(event)).catch(reject)
  })

function prepareEdge(root) {
  const listeners = []
  addGlobals(root, listeners)
  addWasmImports()
  /** A default function, methods, `fetch`, or a listener. */
  return (exported) => {
    let value = exported
    for (let i = 0; i < 5 && value && value.default; i += 1) value = value.default
    if (typeof value === 'function') return { answer: webAnswer(value) }
    return listeners.length > 0 ? { answer: webAnswer(byEvent(listeners[0])) } : undefined
  }
}

module.exports = { prepareEdge }
