'use strict'
// What requests and responses of `(req, res)` functions have beyond Node's own.
const { createHash } = require('crypto')
const { URLSearchParams } = require('url')
const { readBody } = require('./request-body.cjs')

function parseQuery(url) {
  const query = {}
  const at = url.indexOf('?')
  if (at === -1) return query
  new URLSearchParams(url.slice(at + 1).split('#', 1)[0]).forEach((value, key) => {
    const before = Object.prototype.hasOwnProperty.call(query, key) ? query[key] : undefined
    const next = before === undefined ? value : [].concat(before, value)
    if (key === '__proto__') Object.defineProperty(query, key, { value: next, configurable: true })
    else query[key] = next
  })
  return query
}

function decode(value) {
  if (value.indexOf('%') === -1) return value
  try {
    return decodeURIComponent(value)
  } catch (_) {
    return value
  }
}

function parseCookies(header) {
  const cookies = Object.create(null)
  for (const pair of (header || '').split(';')) {
    const at = pair.indexOf('=')
    if (at === -1) continue
    const name = pair.slice(0, at).trim()
    const value = pair
      .slice(at + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1')
    if (!(name in cookies)) cookies[name] = decode(value)
  }
  return Object.assign({}, cookies)
}

/** Computed when it is first read, then an ordinary property; can be assigned to. */
function defineLazy(prototype, name, compute) {
  const settle = (req, value) =>
    Object.defineProperty(req, name, { value, writable: true, configurable: true, enumerable: true })
  Object.defineProperty(prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = compute(this)
      settle(this, value)
      return value
    },
    set(value) {
      settle(this, value)
    },
  })
}

function entityTag(bytes) {
  const hash = createHash('sha1').update(bytes).digest('base64').slice(0, 27)
  return `W/"${bytes.length.toString(16)}-${hash}"`
}

const inUtf8 = (type) => `${type.replace(/;\s*charset=("[^"]*"|[^;]*)/gi, '').trim()}; charset=utf-8`

function status(code) {
  this.statusCode = code
  return this
}

function json(value) {
  if (!this.getHeader('content-type')) this.setHeader('content-type', 'application/json; charset=utf-8')
  return this.send(JSON.stringify(value))
}

function send(value) {
  const isBytes = value instanceof Uint8Array
  const isOther = typeof value === 'object' || typeof value === 'number' || typeof value === 'boolean'
  if (isOther && value !== null && !isBytes) return this.json(value)
  let body
  if (typeof value === 'string' || value === null) {
    if (!this.getHeader('content-type') && value !== null) this.setHeader('content-type', 'text/html')
    const type = this.getHeader('content-type')
    if (typeof type === 'string') this.setHeader('content-type', inUtf8(type))
    body = Buffer.from(value || '')
  } else if (isBytes) {
    if (!this.getHeader('content-type')) this.setHeader('content-type', 'application/octet-stream')
    body = Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  } else if (value !== undefined) {
    throw new Error('`body` is not a valid string, object, boolean, number, Stream, or Buffer')
  }
  if (body !== undefined) {
    this.setHeader('content-length', body.length)
    if (!this.getHeader('etag')) this.setHeader('etag', entityTag(body))
  }
  if (this.statusCode === 204 || this.statusCode === 304) {
    for (const name of ['content-type', 'content-length', 'transfer-encoding']) this.removeHeader(name)
    body = undefined
  }
  // Node leaves the body out where the method is HEAD.
  this.end(body)
  return this
}

function redirect(codeOrUrl, target) {
  const [code, url] = typeof codeOrUrl === 'string' ? [307, codeOrUrl] : [codeOrUrl, target]
  if (typeof code !== 'number' || typeof url !== 'string')
    throw new Error(
      "Invalid redirect arguments. Please use a single argument URL, e.g. res.redirect('/destination') or use a status code and URL, e.g. res.redirect(307, '/destination').",
    )
  this.writeHead(code, { Location: url })
  this.end()
  return this
}

/** Adds them to the prototypes: a framework that brings its own prototypes is not disturbed by them. */
function addHelpers({ request, response }) {
  defineLazy(request, 'query', ({ url }) => parseQuery(url))
  defineLazy(request, 'cookies', ({ headers }) => parseCookies(headers.cookie))
  defineLazy(request, 'body', readBody)
  for (const method of [status, json, send, redirect])
    Object.defineProperty(response, method.name, {
      value: method,
      writable: true,
      configurable: true,
      enumerable: false,
    })
}

module.exports = { addHelpers, parseCookies, parseQuery }
