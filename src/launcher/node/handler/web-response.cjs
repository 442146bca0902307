'use strict'
// A web Response, written to a Node response as it comes.

const WITHOUT_BODY = [101, 204, 205, 304]

function headersOf({ headers }) {
  const found = {}
  const cookies = typeof headers.getSetCookie === 'function' ? headers.getSetCookie() : undefined
  headers.forEach((value, name) => {
    if (name !== 'set-cookie') found[name] = value
    else if (cookies === undefined) found[name] = (found[name] || []).concat(value)
  })
  if (cookies !== undefined && cookies.length > 0) found['set-cookie'] = cookies
  return found
}

/** What is there at once, or undefined where one has to wait. */
const soon = (promise) => Promise.race([promise, new Promise((resolve) => setImmediate(resolve))])

const writable = (res) =>
  new Promise((resolve) => {
    const done = () => {
      res.removeListener('drain', done)
      res.removeListener('close', done)
      resolve()
    }
    res.on('drain', done)
    res.on('close', done)
  })

const isGone = (res) => res.destroyed || !res.socket || res.socket.destroyed

function readerOf(body) {
  if (typeof body.getReader === 'function') {
    const reader = body.getReader()
    return { read: () => reader.read(), cancel: (reason) => reader.cancel(reason) }
  }
  const iterator = body[Symbol.asyncIterator]()
  return { read: () => iterator.next(), cancel: () => (iterator.return ? iterator.return() : undefined) }
}

async function sendBody(reader, res, headers) {
  // A body that is there at once goes out with the head, its length known.
  const first = reader.read()
  let step = await soon(first)
  if (step !== undefined && !step.done) {
    const second = reader.read()
    const next = await soon(second)
    if (next !== undefined && next.done) {
      if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
        res.setHeader(
          'content-length',
          step.value.byteLength === undefined ? Buffer.byteLength(step.value) : step.value.byteLength,
        )
      res.end(step.value)
      return
    }
    if (!res.write(step.value)) await writable(res)
    step = next === undefined ? await second : next
  } else if (step === undefined) {
    res.flushHeaders()
    step = await first
  }
  while (!step.done) {
    if (isGone(res)) return
    if (!res.write(step.value)) await writable(res)
    if (isGone(res)) return
    step = await reader.read()
  }
  res.end()
}

async function sendResponse(response, req, res) {
  if (!response || typeof response.status !== 'number' || !response.headers)
    throw new TypeError(
      'The function did not return a Response. Return one, such as `new Response("Hello")`.',
    )
  // `Response.error()`
  if (response.status < 100) throw new TypeError('The function returned a network error')
  const headers = headersOf(response)
  res.statusCode = response.status
  if (response.statusText) res.statusMessage = response.statusText
  for (const name of Object.keys(headers)) res.setHeader(name, headers[name])
  const { body } = response
  if (body === null || body === undefined) {
    res.end()
    return
  }
  const reader = readerOf(body)
  const cancel = () => Promise.resolve(reader.cancel()).catch(() => {})
  if (req.method === 'HEAD' || WITHOUT_BODY.indexOf(response.status) !== -1) {
    res.end()
    await cancel()
    return
  }
  res.once('close', () => {
    if (!res.writableFinished) cancel()
  })
  await sendBody(reader, res, headers)
}

module.exports = { sendResponse }
