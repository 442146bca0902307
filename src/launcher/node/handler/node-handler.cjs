'use strict'
// Functions of a Node request and response.
const { answerFailure } = require('../server.cjs')
const { ApiError, gatherBody } = require('./request-body.cjs')
const { sendResponse } = require('./web-response.cjs')

function answerError(res, error) {
  if (error instanceof ApiError && !res.headersSent) {
    res.statusCode = error.statusCode
    res.setHeader('content-type', 'text/plain; charset=utf-8')
    res.end(error.message)
    return
  }
  console.error(error)
  answerFailure(res)
}

const isResponse = (value) =>
  typeof value === 'object' &&
  value !== null &&
  typeof value.status === 'number' &&
  typeof value.headers === 'object' &&
  'body' in value

/**
 * An answer of `handle(req, res)`. A handler that returns before it has ended the response keeps it open; one that
 * returns a web response instead of answering has it sent.
 */
function nodeAnswer(handle, { hasHelpers }) {
  const call = (req, res) => {
    let returned
    try {
      returned = handle(req, res)
    } catch (error) {
      answerError(res, error)
      return
    }
    if (!returned || typeof returned !== 'object') return
    const settle = (value) => {
      if (isResponse(value) && !res.headersSent && !res.finished && value !== res)
        sendResponse(value, req, res).catch((error) => answerError(res, error))
    }
    if (typeof returned.then === 'function')
      returned.then(settle).then(undefined, (error) => answerError(res, error))
    else settle(returned)
  }
  return hasHelpers ? (req, res) => gatherBody(req, () => call(req, res)) : call
}

module.exports = { answerError, nodeAnswer }
