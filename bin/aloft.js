#!/usr/bin/env node
// The door of `aloft`. Plain JavaScript with few imports: it runs on whatever Node.js the machine has, for every command.
import { existsSync } from 'node:fs'

const RUNTIME_MAJOR = 24
const source = new URL('../src/cli/main.ts', import.meta.url)
// A package holds what was built from the sources; a clone runs from them, whatever else lies in it.
const isClone = existsSync(source)
const main = isClone ? source : new URL('../dist/cli/main.js', import.meta.url)

if (isClone) {
  const { ensureInstalled } = await import('../scripts/setup.js')
  ensureInstalled()
}
if (Number.parseInt(process.versions.node, 10) >= RUNTIME_MAJOR) await import(main.href)
else {
  const { runOnOwnNode } = await import('./own-node.js')
  runOnOwnNode(main, RUNTIME_MAJOR)
}
