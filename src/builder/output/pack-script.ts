import { existsSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SandboxBind } from '#core/ports/sandbox.ts'

const FOLDER = realpathSync(join(import.meta.dirname, 'inside'))
/** All that it imports from outside of its folder. */
const GLOB = realpathSync(join(import.meta.dirname, '../../contract/glob'))

/** Where a bundle of the server lies, for what is taken from it. */
declare const __bundle: string | undefined

const SOURCE = realpathSync(new URL('./inside/main.ts', import.meta.url))

/** The same script beside the bundle of a clone: without it, four fifths of its start are to strip the sources of their types. */
const BUNDLED =
  typeof __bundle === 'undefined' ? undefined : fileURLToPath(new URL('pack/main.mjs', __bundle))

/** Runs in the workspace, in a sandbox, with the folder of results as its argument. */
export const packScript = (): string => (BUNDLED !== undefined && isUsable(BUNDLED) ? BUNDLED : SOURCE)

/**
 * A bundle that is old is removed, whoever still runs it. It is seen in a sandbox, by somebody else, only where it is kept
 * among the packages and whoever made it has not done so for themselves alone.
 */
function isUsable(file: string): boolean {
  const modules = modulesOf('esbuild')
  if (!file.startsWith(`${modules}/`) || !isOpen(file, 0o004)) return false
  for (let folder = dirname(file); folder !== modules; folder = dirname(folder))
    if (!isOpen(folder, 0o001)) return false
  return true
}

const isOpen = (path: string, to: number): boolean =>
  ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & to) !== 0

const DEPENDENCIES = ['esbuild', '@vercel/nft', '@vercel/routing-utils', 'acorn', 'tar-stream']

/**
 * What the script consists of. Everything is bound at the path that it has on the machine, so that it runs as well
 * where the operator does without a sandbox.
 */
export const scriptBinds = (script: string): readonly SandboxBind[] =>
  [
    ...new Set([...(script === SOURCE ? [FOLDER, GLOB, packageJson()] : []), ...DEPENDENCIES.map(modulesOf)]),
  ].map((path) => ({ host: path, inside: path, writable: false }))

/** Says that the script's files are modules. */
function packageJson(): string {
  for (let folder = FOLDER; ; folder = dirname(folder)) {
    const path = join(folder, 'package.json')
    if (existsSync(path) || folder === dirname(folder)) return path
  }
}

/** The `node_modules` in which a package lies, with those that it needs itself. */
function modulesOf(name: string): string {
  const entry = createRequire(import.meta.url).resolve(name)
  return entry.slice(0, entry.lastIndexOf(`/${name}/`))
}
