import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The entry that the server and its children are started with, in a folder of the bundle. */
export const BUNDLE_ENTRY = 'child-main.cjs'

/** Below it, a folder for every state of the sources that was bundled. */
export const BUNDLES = join(ROOT, 'node_modules/.cache/aloft-server')

/** The same of the command line. A package brings its own. */
export const CLI_ENTRY = 'cli-main.cjs'
export const CLI_BUNDLES = join(ROOT, 'node_modules/.cache/aloft-cli')

/** In a package, whose sources do not change. */
const PACKED = fileURLToPath(new URL('../../server', import.meta.url))

/** Of these no server is made. Python writes what it has compiled beside its sources. */
const LEFT_OUT = ['src/cli', 'src/dashboard', '__pycache__']

/** What the command line is made of, and what loads it. */
const OF_CLI = ['src/cli', 'src/client', 'src/contract', 'src/process/supervisor', 'src/process/cli-main.ts']

const OF_BOTH = ['package.json', 'node_modules/.package-lock.json', 'scripts/build-server.ts']

/** Names the state of the sources and dependencies by the times of their files: reading them would take too long. */
export const stateOfSources = (root = ROOT): string => stateOf(root, ['src', ...OF_BOTH], LEFT_OUT)

/** The same of the command line. */
export const stateOfCli = (root = ROOT): string => stateOf(root, [...OF_CLI, ...OF_BOTH], [])

function stateOf(root: string, paths: readonly string[], leftOut: readonly string[]): string {
  let notes = `${process.version}\n`
  // Every start waits for it, and Node's own way to list what is below a folder takes three times as long.
  const noteBelow = (folder: string) => {
    const entries = readdirSync(`${root}/${folder}`, { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const { name } = entry
      const path = `${folder}/${name}`
      if (leftOut.includes(path) || leftOut.includes(name) || name.endsWith('.test.ts')) continue
      if (entry.isDirectory()) noteBelow(path)
      else note(path)
    }
  }
  const note = (path: string) => {
    const stats = statSync(`${root}/${path}`, { throwIfNoEntry: false })
    if (stats?.isDirectory()) noteBelow(path)
    else notes += `${path} ${stats?.mtimeMs ?? 0} ${stats?.size ?? 0}\n`
  }
  for (const path of paths) note(path)
  return createHash('sha1').update(notes).digest('hex')
}

/** What children run in the place of the sources, when it was made of exactly these; undefined when it was not. */
export function findBundle(): string | undefined {
  const folder = import.meta.url.endsWith('.ts') ? join(BUNDLES, stateOfSources()) : PACKED
  const entry = join(folder, BUNDLE_ENTRY)
  return existsSync(entry) ? entry : undefined
}

/** What a clone runs as its command line in the place of the sources, when it was made of exactly these. */
export function findCommandLine(): string | undefined {
  const entry = join(CLI_BUNDLES, stateOfCli(), CLI_ENTRY)
  return existsSync(entry) ? entry : undefined
}
