'use strict'
// From a `load` message to something that answers.
const Module = require('module')
const path = require('path')
const { publishDataCache } = require('./data-cache.cjs')
const { prepareEdge } = require('./edge.cjs')
const { findAnswer, serverShape } = require('./handler/exported.cjs')
const { addHelpers } = require('./handler/helpers.cjs')
const { watchListening } = require('./listening.cjs')
const { loadModule } = require('./load-module.cjs')

const { setImmediate, setTimeout, clearTimeout } = global
const DEFAULT_START_SECONDS = 60

const NOTHING =
  'exports nothing that handles requests, and no HTTP server is listening. Export a function (req, res), ' +
  'functions named after methods such as GET, an object with fetch, or a server; or call listen.'

/** Stacks name the files and lines of the source, by the maps of the program's own files; those of packages are left alone. */
function readSourceMaps() {
  if (typeof Module.setSourceMapsSupport === 'function')
    Module.setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
  else if (typeof process.setSourceMapsEnabled === 'function') process.setSourceMapsEnabled(true)
}

/** Writes what was compiled to the folder, after the first answer so that it delays none. */
function keepCompiled(folder, server) {
  if (!folder || typeof Module.enableCompileCache !== 'function') return
  Module.enableCompileCache(folder)
  if (typeof Module.flushCompileCache === 'function')
    server.onFirstAnswer(() => setImmediate(() => Module.flushCompileCache()))
}

/** Rejects when the program has nothing left to do, or takes too long to start. */
function untilGivenUp(seconds, entry, hold) {
  let end
  const promise = new Promise((_resolve, reject) => {
    const giveUp = () => reject(new Error(`${entry} ${NOTHING}`))
    const timer = setTimeout(giveUp, seconds * 1000)
    timer.unref()
    process.once('beforeExit', giveUp)
    // Only what the program itself began keeps the process alive now.
    hold.unref()
    end = () => {
      clearTimeout(timer)
      process.removeListener('beforeExit', giveUp)
      hold.ref()
    }
  })
  return { promise, end: () => end() }
}

/** Resolves when the program answers on `server`; rejects when it cannot. `hold` keeps the process alive. */
async function startProgram(message, { server, hold, late, revalidate }) {
  const root = message.root || '/var/task'
  const file = path.resolve(root, message.entry)
  process.argv = [process.argv[0], file]
  readSourceMaps()
  keepCompiled(message.compileCache, server)

  const cache = publishDataCache(message, revalidate)
  if (cache !== undefined) server.onRevalidated(cache.learn)
  const helpers = process.env.NODEJS_HELPERS !== '0'
  const asEdge = message.shape === 'edge' ? prepareEdge(root) : () => undefined
  let listens
  const listening = new Promise((resolve) => {
    listens = resolve
  }).then(serverShape)
  const watch = watchListening(listens)
  const givenUp = untilGivenUp(message.maxDuration || DEFAULT_START_SECONDS, message.entry, hold)
  const exporting = loadModule(file, root).then(async (exported) => {
    if (watch.first() !== undefined) return listening
    const shape = asEdge(exported) || (await findAnswer(exported, { helpers, web: message.shape === 'web' }))
    return shape === undefined ? listening : shape
  })
  let found = false
  exporting.catch((error) => {
    if (found) late(error)
  })
  try {
    const shape = await Promise.race([exporting, listening, givenUp.promise])
    found = true
    if (shape.hasHelpers) addHelpers(server.prototypes)
    if (shape.server) server.forwardUpgrades(shape.server)
    server.answerWith(shape.answer)
  } finally {
    givenUp.end()
    watch.end()
  }
}

module.exports = { startProgram }
