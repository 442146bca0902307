'use strict'
// Runs inside a sandbox that has no network: starts a browser, lets it reach the one site behind a unix socket, and
// writes a picture of its front page to stdout. What the browser loads is code of strangers.
// Arguments: the browser, the host, the socket.
const { spawn } = require('node:child_process')
const { createServer, connect } = require('node:net')

const [program, host, socketPath] = process.argv.slice(2)

const WIDTH = 1200
const HEIGHT = 750
/** Of the picture, to that of the page. */
const SCALE = 0.5
const LARGEST = 100 * 1000
const QUALITIES = [80, 60, 40, 20]
/** A page that is still loading then is shown as it is. */
const LOAD_MS = 7000
/** For what comes in after a page has loaded. */
const SETTLE_MS = 700

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** The sandbox has a loopback of its own, and this is all there is on it. */
function listen() {
  const server = createServer((near) => {
    const far = connect(socketPath)
    const end = () => {
      near.destroy()
      far.destroy()
    }
    near.on('error', end).on('close', end)
    far.on('error', end).on('close', end)
    near.pipe(far).pipe(near)
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))
}

const flags = (port) => [
  '--headless',
  '--remote-debugging-pipe',
  // It is the sandbox around it that it cannot leave; there are no namespaces to be had in here for another one.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider',
  '--disable-sync',
  '--hide-scrollbars',
  '--metrics-recording-only',
  '--mute-audio',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--no-proxy-server',
  '--renderer-process-limit=2',
  '--js-flags=--max-old-space-size=256',
  '--user-data-dir=/tmp/profile',
  `--unsafely-treat-insecure-origin-as-secure=http://${host}`,
  `--window-size=${WIDTH},${HEIGHT}`,
  `--host-resolver-rules=MAP ${host} 127.0.0.1:${port}, MAP * ~NOTFOUND`,
]

/** Speaks with a browser over two pipes: JSON, each message ended by a zero byte. */
function speak(browser) {
  const [, , , input, output] = browser.stdio
  const waiting = new Map()
  const listeners = []
  let count = 0
  let rest = Buffer.alloc(0)
  output.on('data', (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
      const message = JSON.parse(rest.toString('utf8', 0, end))
      rest = rest.subarray(end + 1)
      const answer = waiting.get(message.id)
      waiting.delete(message.id)
      if (answer) answer(message)
      else for (const listener of listeners) listener(message)
    }
  })
  input.on('error', () => {})
  const ask = (method, params = {}, sessionId = undefined) =>
    new Promise((resolve, reject) => {
      const id = ++count
      waiting.set(id, ({ error, result }) => (error ? reject(new Error(error.message)) : resolve(result)))
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    })
  return { ask, on: (listener) => listeners.push(listener) }
}

async function openPage({ ask }) {
  const { targetId } = await ask('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true })
  const say = (method, params) => ask(method, params, sessionId)
  await ask('Browser.setDownloadBehavior', { behavior: 'deny' })
  await say('Page.enable')
  await say('Network.enable')
  await say('Emulation.setDeviceMetricsOverride', {
    width: WIDTH,
    height: HEIGHT,
    deviceScaleFactor: 1,
    mobile: false,
  })
  return say
}

/** Goes to the front page. Answers the status and the type of its document. */
async function load(say, on) {
  let seen
  const loaded = new Promise((resolve) =>
    on(({ method, params }) => {
      if (method === 'Network.responseReceived' && params.type === 'Document' && seen === undefined)
        seen = { status: params.response.status, type: params.response.mimeType }
      if (method === 'Page.javascriptDialogOpening')
        say('Page.handleJavaScriptDialog', { accept: false }).catch(() => {})
      if (method === 'Page.loadEventFired') resolve()
    }),
  )
  const { errorText } = await say('Page.navigate', { url: `http://${host}/` })
  if (errorText) fail(`the page could not be loaded: ${errorText}`)
  await Promise.race([loaded, wait(LOAD_MS)])
  await wait(SETTLE_MS)
  return seen
}

async function capture(say) {
  const clip = { x: 0, y: 0, width: WIDTH, height: HEIGHT, scale: SCALE }
  for (const quality of QUALITIES) {
    const { data } = await say('Page.captureScreenshot', { format: 'webp', quality, clip })
    const bytes = Buffer.from(data, 'base64')
    if (bytes.length <= LARGEST) return bytes
  }
  return fail('the screenshot is too large')
}

async function main() {
  const port = await listen()
  const browser = spawn(program, flags(port), {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
    env: { HOME: '/tmp', PATH: process.env.PATH, LANG: 'C.UTF-8' },
  })
  browser.on('error', (error) => fail(`the browser could not be started: ${error.message}`))
  browser.on('exit', (code, signal) => fail(`the browser exited: ${code === null ? signal : code}`))
  const line = speak(browser)
  const say = await openPage(line)
  const page = await load(say, line.on)
  if (page?.status !== 200 || page.type !== 'text/html') fail('there is no page to see')
  const picture = await capture(say)
  process.stdout.write(picture, () => process.exit(0))
}

main().catch((error) => fail(error.message))
