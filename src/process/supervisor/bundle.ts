import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The entry that children are started with, in a folder of the bundle. */
export const BUNDLE_ENTRY = 'child-main.mjs'

/** Below it, a folder for every state of the sources that was bundled. */
export const BUNDLES = join(ROOT, 'node_modules/.cache/aloft-server')

/** In a package, whose sources do not change. */
const PACKED = fileURLToPath(new URL('../../server', import.meta.url))

/** Of these no server is made. Python writes what it has compiled beside its sources. */
const LEFT_OUT = /^(cli|dashboard)(\/|$)|\.test\.ts$|(^|\/)__pycache__\//

/** Names the state of the sources and dependencies by the times of their files: reading them would take too long. */
export function stateOfSources(root = ROOT): string {
  const sum = createHash('sha1').update(process.version)
  const note = (path: string) => {
    const { mtimeMs = 0, size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    sum.update(`${relative(root, path)} ${mtimeMs} ${size}\n`)
  }
  const src = join(root, 'src')
  for (const path of (readdirSync(src, { recursive: true }) as string[]).sort())
    if (/\.\w+$/.test(path) && !LEFT_OUT.test(path)) note(join(src, path))
  for (const name of ['package.json', 'node_modules/.package-lock.json', 'scripts/build-server.ts'])
    note(join(root, name))
  return sum.digest('hex')
}

/** What children run in the place of the sources, when it was made of exactly these; undefined when it was not. */
export function findBundle(): string | undefined {
  const folder = import.meta.url.endsWith('.ts') ? join(BUNDLES, stateOfSources()) : PACKED
  const entry = join(folder, BUNDLE_ENTRY)
  return existsSync(entry) ? entry : undefined
}
