'use strict'
// Runs inside the sandbox and hosts one program: boots and warms itself, is told by the runner what to load, answers
// requests until it is told to stop. See ../README.md for what is said on control.sock.
const path = require('path')
const { createControl } = require('./control.cjs')
const { createExchanges, publishContext } = require('./exchange.cjs')
const { captureOutput, createLines } = require('./output.cjs')
const { startProgram } = require('./program.cjs')
const { createServer } = require('./server.cjs')
const { moveConnections } = require('./host-network/moved-ports.cjs')
const { keepPackagesWithin } = require('./host-network/own-packages.cjs')

const { setTimeout } = global
const exit = process.exit.bind(process)
/** Of a program that wants to tidy up when it is told to end. */
const LAST_ACTS_MS = 500

/** It is run as a command, and says more than others do. */
const BUN_LAUNCHER = path.join(__dirname, '../bun/main.mjs')

const folder = process.env.ALOFT_RUN_DIR || '/aloft/run'
/** What is to be known where programs share this machine and its network. */
const hostNetwork = process.env.ALOFT_HOST_NETWORK && JSON.parse(process.env.ALOFT_HOST_NETWORK)
const control = createControl()
const lines = createLines(control.log)
const exchanges = createExchanges((pending) => control.send({ type: 'background', pending }))
const server = createServer({ exchanges, lines })

let state = 'booting'
let command

const reasonOf = (error) => {
  const known = error instanceof Error || (error && typeof error.stack === 'string')
  return known
    ? { message: `${error.name || 'Error'}: ${error.message}`, stack: String(error.stack) }
    : { message: String(error), stack: '' }
}

function fail(error) {
  if (state === 'failed') return
  state = 'failed'
  control.send(Object.assign({ type: 'failed' }, reasonOf(error)))
  exit(1)
}

/** An error that nobody caught: the state of the program is unknown from here. */
function crash(error) {
  if (state === 'failed' || state === 'crashed') return
  if (state === 'loading') return fail(error)
  state = 'crashed'
  try {
    console.error(error)
  } catch (_) {
    // A program may have broken its console.
  }
  server.abandon().then(() => exit(1))
}

for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error) => {
    // A program that has listeners of its own decides for itself.
    if (process.listenerCount(event) === 1) crash(error)
  })
process.on('exit', () => control.finish())

const timeout = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function stop({ graceMs }) {
  if (state === 'stopping') return
  state = 'stopping'
  const deadline = Date.now() + graceMs
  if (command !== undefined) {
    command.kill('SIGTERM')
    const isOver = await Promise.race([command.finished.then(() => true), timeout(graceMs)])
    if (isOver !== true) command.kill('SIGKILL')
    exit(0)
  }
  await Promise.race([Promise.all([server.stop(), exchanges.idle()]), timeout(graceMs)])
  if (process.listenerCount('SIGTERM') > 0) {
    process.emit('SIGTERM', 'SIGTERM', 15)
    await timeout(Math.max(0, Math.min(LAST_ACTS_MS, deadline - Date.now())))
  }
  exit(0)
}

/** What the launcher of Bun says: lines of requests, and how much goes on after them. */
function hearBun({ type, stream, text, requestId, pending }) {
  if (type === 'background' && Number.isInteger(pending)) control.send({ type, pending })
  if (type !== 'log' || typeof text !== 'string' || typeof requestId !== 'string') return
  control.log({ type, stream: stream === 'stderr' ? 'stderr' : 'stdout', text, requestId })
}

async function startCommand({ command: argv, root }) {
  if (!Array.isArray(argv) || argv.length === 0) throw new Error('There is no command to run')
  command = await require('./command.cjs').runCommand(
    argv,
    root || '/var/task',
    hostNetwork || undefined,
    argv[1] === BUN_LAUNCHER ? hearBun : undefined,
  )
  command.finished.then(
    (code) => {
      if (state === 'stopping') return
      control.send({ type: 'finished', code })
      exit(code)
    },
    (error) => fail(error),
  )
  server.connectWith(command.connect)
  return command.ready
}

/** Modules of the launcher are no modules of the program. */
function hideOwnModules() {
  for (const file of Object.keys(require.cache))
    if (file.indexOf(__dirname + path.sep) === 0) delete require.cache[file]
  process.mainModule = undefined
}

async function load(message) {
  if (state !== 'booted') return
  state = 'loading'
  delete process.env.ALOFT_LAUNCH
  delete process.env.ALOFT_RUN_DIR
  delete process.env.ALOFT_HOST_NETWORK
  if (hostNetwork) moveConnections({ sites: hostNetwork.sites })
  if (hostNetwork && hostNetwork.folder) keepPackagesWithin(hostNetwork.folder)
  Object.assign(process.env, message.env)
  process.chdir(message.root || '/var/task')
  const hold = {
    ref() {
      server.ref()
      control.ref()
    },
    unref() {
      server.unref()
      control.unref()
    },
  }
  const isReady =
    message.shape === 'command'
      ? await startCommand(message)
      : await startProgram(message, { server, hold, late: crash, revalidate }).then(() => true)
  if (state !== 'loading' || !isReady) return
  state = 'ready'
  control.send({ type: 'ready' })
}

const revalidate = (said) => control.send({ type: 'revalidate', said })

const take = (message) => {
  if (message.type === 'load') load(message).catch(fail)
  else if (message.type === 'stop') stop(message)
}

async function boot() {
  publishContext(exchanges)
  captureOutput(lines)
  const socket = path.join(folder, 'http.sock')
  await server.listen(socket)
  // A command answers by itself, and what is wanted now is not to wait for more than it needs.
  if (process.env.ALOFT_LAUNCH === '1') await require('./warm/warm.cjs').warm(server, socket)
  hideOwnModules()
  control.listen(path.join(folder, 'control.sock'), {
    open() {
      state = 'booted'
      control.send({ type: 'booted', pid: process.pid })
    },
    message: take,
    close: () => exit(1),
  })
}

// An older Node's own wording of rejections would hide the reason.
boot().catch((error) => {
  console.error(error)
  exit(1)
})
