'use strict'
// `exports.handler = async (event, context)`, called with the events of an API gateway (version 1).
const { answerError } = require('./node-handler.cjs')
const { parseQuery } = require('./helpers.cjs')

const MAX_BODY = 32 * 1024 * 1024
const IS_TEXT = /^text\/|[/+](?:json|xml|x-www-form-urlencoded|javascript)\b/

const bodyOf = (req) =>
  new Promise((resolve, reject) => {
    const chunks = []
    let size = 0
    req.on('data', (chunk) => {
      size += chunk.length
      if (size > MAX_BODY) reject(new Error('The body of the request is too large'))
      else chunks.push(chunk)
    })
    req.on('end', () => resolve(Buffer.concat(chunks)))
    req.on('error', reject)
    req.on('aborted', () => reject(new Error('The client closed the connection')))
  })

/** Every name with one value, and with all of them. */
function bothWays(entries) {
  const one = {}
  const all = {}
  for (const name of Object.keys(entries)) {
    all[name] = [].concat(entries[name])
    one[name] = all[name][all[name].length - 1]
  }
  return { one, all }
}

async function eventOf(req) {
  const path = req.url.split('?', 1)[0]
  const body = await bodyOf(req)
  const isText = IS_TEXT.test(req.headers['content-type'] || 'text/plain')
  const query = bothWays(parseQuery(req.url))
  const headers = bothWays(req.headers)
  const hasQuery = Object.keys(query.one).length > 0
  return {
    resource: path,
    path,
    httpMethod: req.method,
    headers: headers.one,
    multiValueHeaders: headers.all,
    queryStringParameters: hasQuery ? query.one : null,
    multiValueQueryStringParameters: hasQuery ? query.all : null,
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      httpMethod: req.method,
      path,
      protocol: 'HTTP/1.1',
      requestId: req.headers['x-vercel-id'],
      identity: { sourceIp: req.headers['x-real-ip'], userAgent: req.headers['user-agent'] },
    },
    body: body.length === 0 ? null : body.toString(isText ? 'utf8' : 'base64'),
    isBase64Encoded: body.length > 0 && !isText,
  }
}

const invoke = (handle, event) =>
  new Promise((resolve, reject) => {
    const callback = (error, result) => (error ? reject(error) : resolve(result))
    const context = {
      callbackWaitsForEmptyEventLoop: false,
      awsRequestId: event.requestContext.requestId,
      succeed: resolve,
      fail: reject,
      done: callback,
    }
    const returned = handle(event, context, callback)
    if (returned && typeof returned.then === 'function') returned.then(resolve, reject)
  })

function send(res, result) {
  if (!result || typeof result !== 'object' || !result.statusCode) {
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify(result === undefined ? null : result))
    return
  }
  const headers = Object.assign({}, result.headers, result.multiValueHeaders)
  for (const name of Object.keys(headers)) if (headers[name] !== undefined) res.setHeader(name, headers[name])
  if (Array.isArray(result.cookies)) res.setHeader('set-cookie', result.cookies)
  res.statusCode = Number(result.statusCode)
  const isBase64 = result.isBase64Encoded || result.encoding === 'base64'
  const { body } = result
  const text =
    body === undefined || body === null ? '' : typeof body === 'object' ? JSON.stringify(body) : String(body)
  res.end(Buffer.from(text, isBase64 ? 'base64' : 'utf8'))
}

function eventAnswer(handle) {
  return async (req, res) => {
    try {
      send(res, await invoke(handle, await eventOf(req)))
    } catch (error) {
      if (!res.destroyed) answerError(res, error)
    }
  }
}

module.exports = { eventAnswer }
