#!/usr/bin/env node
// The door of `aloft`. Plain JavaScript with few imports: it runs on whatever Node.js the machine has, for every command.
// No module: to load what Node.js has for those takes an older one, which only passes the command on, a fifth of its start.
const { existsSync } = require('node:fs')
const { constants, enableCompileCache } = require('node:module')
const { join } = require('node:path')

const RUNTIME_MAJOR = 24
const source = join(__dirname, '../src/cli/main.ts')

open()

async function open() {
  // A package holds what was built from the sources; a clone runs from them, whatever else lies in it.
  const isClone = existsSync(source)
  if (isClone) {
    const { ensureInstalled } = await import('../scripts/setup.js')
    ensureInstalled()
  }
  if (Number.parseInt(process.versions.node, 10) < RUNTIME_MAJOR)
    return require('./own-node.js').runOnOwnNode(__filename, RUNTIME_MAJOR)
  rememberCompiled()
  if (!isClone) return import('../dist/cli/main.js')
  const bundle = await findBundle()
  return bundle ? require(bundle) : import('../src/cli/main.ts')
}

/** What `npm start` and `npm test` have made of exactly these sources: one file is read faster than four hundred. */
async function findBundle() {
  const { findCommandLine } = await import('../src/process/supervisor/bundle.ts')
  return findCommandLine()
}

/** Before anything else is loaded: with it, later starts neither strip types nor compile. */
function rememberCompiled() {
  const { FAILED } = constants.compileCacheStatus
  const beside = join(__dirname, '../node_modules/.cache/aloft')
  if (enableCompileCache(beside).status !== FAILED) return
  // Installed by somebody else, for everybody: each keeps their own.
  const { HOME, XDG_CACHE_HOME = HOME && `${HOME}/.cache` } = process.env
  if (XDG_CACHE_HOME) enableCompileCache(`${XDG_CACHE_HOME}/aloft`)
}
