import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { SandboxBind } from '#core/ports/sandbox.ts'

const FOLDER = realpathSync(join(import.meta.dirname, 'inside'))

/** Runs in the workspace, in a sandbox, with the folder of results as its argument. */
export const SCRIPT = realpathSync(new URL('./inside/main.ts', import.meta.url))

const DEPENDENCIES = ['esbuild', '@vercel/nft', '@vercel/routing-utils', 'acorn', 'tar-stream']

/**
 * What the script consists of. Everything is bound at the path that it has on the machine, so that it runs as well
 * where the operator does without a sandbox.
 */
export const scriptBinds = (): readonly SandboxBind[] =>
  [...new Set([FOLDER, packageJson(), ...DEPENDENCIES.map(modulesOf)])].map((path) => ({
    host: path,
    inside: path,
    writable: false,
  }))

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
