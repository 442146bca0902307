import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The entry that the server and its children are started with, in a folder of the bundle. */
export const BUNDLE_ENTRY = 'child-main.cjs'

/** Below it, a folder for every state of the sources that was bundled. */
export const BUNDLES = join(ROOT, 'node_modules/.cache/aloft-server')

/** In a package, whose sources do not change. */
const PACKED = fileURLToPath(new URL('../../server', import.meta.url))

/** Of these no server is made. Python writes what it has compiled beside its sources. */
const LEFT_OUT = new Set(['src/cli', 'src/dashboard', '__pycache__'])

/** Names the state of the sources and dependencies by the times of their files: reading them would take too long. */
export function stateOfSources(root = ROOT): string {
  let notes = `${process.version}\n`
  const note = (path: string) => {
    const { mtimeMs = 0, size = 0 } = statSync(`${root}/${path}`, { throwIfNoEntry: false }) ?? {}
    notes += `${path} ${mtimeMs} ${size}\n`
  }
  // Every start waits for it, and Node's own way to list what is below a folder takes three times as long.
  const noteAll = (folder: string) => {
    const entries = readdirSync(`${root}/${folder}`, { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const { name } = entry
      const path = `${folder}/${name}`
      if (LEFT_OUT.has(path) || LEFT_OUT.has(name) || name.endsWith('.test.ts')) continue
      if (entry.isDirectory()) noteAll(path)
      else note(path)
    }
  }
  noteAll('src')
  for (const path of ['package.json', 'node_modules/.package-lock.json', 'scripts/build-server.ts'])
    note(path)
  return createHash('sha1').update(notes).digest('hex')
}

/** What children run in the place of the sources, when it was made of exactly these; undefined when it was not. */
export function findBundle(): string | undefined {
  const folder = import.meta.url.endsWith('.ts') ? join(BUNDLES, stateOfSources()) : PACKED
  const entry = join(folder, BUNDLE_ENTRY)
  return existsSync(entry) ? entry : undefined
}
