'use strict'
// Does once, before there is a program, what the first request would otherwise have to wait for.
const { createHash } = require('crypto')
const net = require('net')
const path = require('path')
const { URL } = require('url')
const { current } = require('../exchange.cjs')
const { parseCookies, parseQuery } = require('../handler/helpers.cjs')
const { canImport, importModule } = require('../load-module.cjs')
const { nodeAnswer } = require('../handler/node-handler.cjs')
const { startProgram } = require('../program.cjs')
const { webAnswer } = require('../handler/web-handler.cjs')

/** Of three times as many, the first request is no faster. */
const ROUNDS = 8
const BODY = '{"a":[1,"two"]}'
const HEAD =
  'Host: localhost\r\nx-aloft-request-id: warm\r\nx-forwarded-host: localhost\r\nx-forwarded-proto: https\r\nCookie: a=b'
const GET = `GET /warm?a=b HTTP/1.1\r\n${HEAD}\r\n\r\n`
const POST = `POST /warm HTTP/1.1\r\n${HEAD}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`

const nodeHandler = nodeAnswer(
  async (req, res) => {
    const { host } = req.headers
    if (current() !== undefined) console.log('warm %j', { query: parseQuery(req.url) })
    createHash('sha1').update(host).digest('base64')
    res.setHeader('content-type', 'application/json; charset=utf-8')
    res.end(
      JSON.stringify({ cookies: parseCookies(req.headers.cookie), url: new URL(req.url, `http://${host}`) }),
    )
  },
  { hasHelpers: true },
)

const webHandler = webAnswer(async (request) =>
  Response.json({ url: request.url, body: await request.text() }),
)

/** Requests on connections of their own and on a kept one. */
const exchangeAll = (socketPath) =>
  new Promise((resolve, reject) => {
    let round = 0
    const connect = () => {
      const socket = net.connect(socketPath)
      const next = () => {
        round += 1
        socket.write(round % 4 === 0 ? POST : GET)
      }
      socket.on('data', (chunk) => {
        if (chunk.toString('latin1', 0, 12) !== 'HTTP/1.1 200')
          reject(new Error('The launcher does not answer itself'))
        else if (round < ROUNDS && round % 6 !== 0) next()
        else socket.destroy()
      })
      socket.on('error', reject)
      socket.on('close', () => (round < ROUNDS ? connect() : resolve()))
      next()
    }
    connect()
  })

/** The loaders of modules have parts that wait for a first module. */
async function loadModules(server) {
  const hold = { ref() {}, unref() {} }
  await startProgram(
    { shape: 'handler', entry: 'warm-module.cjs', root: __dirname },
    { server, hold, late() {} },
  )
  if (canImport) await importModule(path.join(__dirname, 'warm-module.mjs'))
}

/** What functions of a web Request need is loaded too, where Node has it: later it would take more time than all the rest. */
async function warm(server, socketPath) {
  await loadModules(server)
  server.answerWith(nodeHandler)
  await exchangeAll(socketPath)
  if (typeof Request === 'undefined') return
  server.answerWith(webHandler)
  await exchangeAll(socketPath)
}

module.exports = { warm }
