#!/usr/bin/env node
// The door of `aloft`. Plain JavaScript with few imports: it runs on whatever Node.js the machine has, for every command.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const RUNTIME_MAJOR = 24
const source = new URL('../src/cli/main.ts', import.meta.url)
// A package holds what was built from the sources; a clone runs from them, whatever else lies in it.
const isClone = existsSync(source)

if (isClone) {
  const { ensureInstalled } = await import('../scripts/setup.js')
  ensureInstalled()
}
if (Number.parseInt(process.versions.node, 10) >= RUNTIME_MAJOR) {
  rememberCompiled()
  const bundle = isClone ? await findBundle() : undefined
  if (bundle) module.createRequire(import.meta.url)(bundle)
  else await import(isClone ? source.href : new URL('../dist/cli/main.js', import.meta.url).href)
} else {
  const { runOnOwnNode } = await import('./own-node.js')
  runOnOwnNode(fileURLToPath(import.meta.url), RUNTIME_MAJOR)
}

/** What `npm start` and `npm test` have made of exactly these sources: one file is read faster than four hundred. */
async function findBundle() {
  const { findCommandLine } = await import('../src/process/supervisor/bundle.ts')
  return findCommandLine()
}

/** Before anything else is loaded: with it, later starts neither strip types nor compile. */
function rememberCompiled() {
  const { FAILED } = module.constants.compileCacheStatus
  const beside = fileURLToPath(new URL('../node_modules/.cache/aloft', import.meta.url))
  if (module.enableCompileCache(beside).status !== FAILED) return
  // Installed by somebody else, for everybody: each keeps their own.
  const { HOME, XDG_CACHE_HOME = HOME && `${HOME}/.cache` } = process.env
  if (XDG_CACHE_HOME) module.enableCompileCache(`${XDG_CACHE_HOME}/aloft`)
}
