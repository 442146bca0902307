'use strict'
// What Next.js keeps of the data that it fetched, and how it says which of it is not right any more. The data is kept in
// this process; the edge is told of every tag that was revalidated, and tells it to all instances of the deployment.
const { current } = require('./exchange.cjs')

/** Of the texts that are kept, together. */
const MAX_SIZE = 24 * 1024 * 1024
const MAX_TAGS = 1000
/** Of what the edge is told with one answer. */
const MAX_TOLD = 4096
/** Nobody's name. Releases up to 15.1 ask a server, and this is how they are told of one; it is never connected to. */
const HOST = 'data-cache.invalid'
const ORIGIN = `https://${HOST}/v1/suspense-cache/`
const TOLD_HEADER = 'x-aloft-revalidate'

/** `later`: takes what cannot be said with an answer any more. */
function createDataCache(later) {
  /** By key, the least used first. */
  const entries = new Map()
  /** When each tag was revalidated last. */
  const tags = new Map()
  let everything = 0
  let size = 0

  function drop(key) {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    size -= entry.text.length
  }

  function note(tag, at) {
    if (tag === '*') everything = Math.max(everything, at)
    else tags.set(tag, Math.max(tags.get(tag) || 0, at))
    if (tags.size <= MAX_TAGS) return
    // What is revalidated so often is not worth telling apart.
    for (const last of tags.values()) everything = Math.max(everything, last)
    tags.clear()
  }

  const isRight = (entry, asked) =>
    entry.at > everything && entry.tags.concat(asked).every((tag) => entry.at > (tags.get(tag) || 0))

  return {
    get(key, asked) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      if (isRight(entry, asked)) return entry
      drop(key)
      return undefined
    },
    set(key, text, own) {
      drop(key)
      if (text.length > MAX_SIZE / 4) return
      entries.set(key, { text, tags: own, at: Date.now() })
      size += text.length
      for (const oldest of entries.keys()) {
        if (size <= MAX_SIZE) break
        drop(oldest)
      }
    },
    /** By code of this instance. `expire`: seconds for which an old answer is still good for visitors. */
    revalidate(given, expire) {
      const now = Date.now()
      for (const tag of given) note(tag, now)
      tell(given, expire, later)
    },
    /** By any instance, as the edge says: `tag=time&…`. */
    learn(text) {
      for (const pair of text.split('&')) {
        const [tag, at] = pair.split('=')
        note(decodeURIComponent(tag), Number(at))
      }
    },
  }
}

/** The edge learns it with the answer, before the visitor does. */
function tell(tags, expire, later) {
  if (tags.length === 0) return
  const exchange = current()
  const res = exchange && exchange.res
  const what = tags.map((tag) => `tag=${encodeURIComponent(tag)}`).join('&')
  const one = expire === undefined ? what : `expire=${expire}&${what}`
  if (!res || res.headersSent) {
    later(one.length > MAX_TOLD ? 'tag=*' : one)
    return
  }
  const told = res.getHeader(TOLD_HEADER)
  const all = told === undefined ? one : `${told},${one}`
  res.setHeader(TOLD_HEADER, all.length > MAX_TOLD ? 'tag=*' : all)
}

const listOf = (value) => (value ? [].concat(value) : [])

/** What releases from 15.2 on look for. */
const handlerOf = (cache) =>
  class FetchCache {
    async get(key, { kind, tags, softTags } = {}) {
      const entry = kind === 'FETCH' ? cache.get(key, listOf(tags).concat(listOf(softTags))) : undefined
      return entry === undefined ? null : { lastModified: entry.at, value: JSON.parse(entry.text) }
    }
    async set(key, value, { tags } = {}) {
      if (value && value.kind === 'FETCH')
        cache.set(key, JSON.stringify(value), listOf(tags).concat(listOf(value.tags)))
    }
    async revalidateTag(tags, durations) {
      const expire = durations && durations.expire
      cache.revalidate(listOf(tags), expire > 0 ? expire : undefined)
    }
    resetRequestCache() {}
  }

const split = (text) => (text ? text.split(',').filter(Boolean) : [])

/** What earlier ones ask a server for. */
function answer(cache, url, { method = 'GET', headers: given, body } = {}) {
  const headers = new Headers(given)
  const tags = split(headers.get('x-vercel-cache-tags'))
  const { pathname, searchParams } = new URL(url)
  const key = pathname.slice(pathname.lastIndexOf('/') + 1)
  if (method === 'POST' && key === 'revalidate') {
    cache.revalidate(split(searchParams.get('tags')))
    return new Response(null, { status: 200 })
  }
  if (method === 'POST') {
    cache.set(key, String(body), tags)
    return new Response(null, { status: 200 })
  }
  const entry = cache.get(key, tags.concat(split(headers.get('x-next-cache-soft-tags'))))
  if (entry === undefined) return new Response(null, { status: 404 })
  const age = Math.floor((Date.now() - entry.at) / 1000)
  return new Response(entry.text, {
    headers: { 'content-type': 'application/json', 'x-vercel-cache-state': 'fresh', age: String(age) },
  })
}

/** Only programs of Next.js, which are told by the name of their entry, and code for edge runtimes know of it. */
const isFor = ({ shape, entry }) => shape === 'edge' || /(?:^|\/)___next_launcher\.cjs$/.test(entry)

/** Makes the cache known to a program that is about to be loaded; undefined where it has no use for one. */
function publishDataCache(message, later) {
  if (!isFor(message) || typeof fetch !== 'function' || process.env.SUSPENSE_CACHE_URL) return undefined
  const cache = createDataCache(later)
  const define = (name, value) =>
    Object.defineProperty(global, name, { value, configurable: true, writable: true, enumerable: true })
  define(Symbol.for('@next/cache-handlers'), { FetchCache: handlerOf(cache) })
  const send = global.fetch
  define('fetch', function fetch(input, init) {
    if (typeof input === 'string' && input.startsWith(ORIGIN))
      return Promise.resolve().then(() => answer(cache, input, init))
    return send.call(this, input, init)
  })
  process.env.SUSPENSE_CACHE_URL = HOST
  return cache
}

module.exports = { publishDataCache }
