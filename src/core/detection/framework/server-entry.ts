import { buildScriptOf, dependsOn, type PackageJson } from '../config/package-json.ts'
import { readFolder, type SourceTree } from '../source-tree.ts'
import type { Framework } from './frameworks.ts'

/** Libraries whose users write servers. */
const SERVER_PACKAGES = [
  'express',
  'fastify',
  'hono',
  'koa',
  '@nestjs/core',
  'h3',
  'elysia',
  '@hapi/hapi',
  'restify',
  'polka',
  'connect',
  '@feathersjs/express',
  '@adonisjs/core',
  'apollo-server',
  '@apollo/server',
  'graphql-yoga',
  'socket.io',
  'ws',
] as const

const NAMES = ['src/index', 'src/server', 'src/app', 'src/main', 'server', 'app', 'index', 'main'] as const
const EXTENSIONS = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'] as const
const SOURCES = NAMES.flatMap((name) => EXTENSIONS.map((extension) => `${name}.${extension}`))

const BUILT = ['dist', 'build', 'out', 'lib'].flatMap((folder) =>
  ['main', 'index', 'server', 'app', 'src/main', 'src/index', 'src/server', 'src/app'].flatMap((name) =>
    ['js', 'mjs', 'cjs'].map((extension) => `${folder}/${name}.${extension}`),
  ),
)

const CODE = /\.[cm]?[jt]s$/

/**
 * The files, best first, one of which is a server that answers everything. None where this is no server: it has no
 * such library, no `start` script that runs a file, and no file called server.
 */
export function nodeServerEntries(
  tree: SourceTree,
  pkg: PackageJson | undefined,
  framework: Framework | undefined,
): readonly string[] {
  const started = startedFile(pkg?.scripts.start)
  const main = pkg?.main === undefined ? undefined : readFolder(pkg.main)
  const sources = SOURCES.filter((path) => tree.has(path))
  const isServer =
    framework !== undefined ||
    SERVER_PACKAGES.some((name) => dependsOn(pkg, name)) ||
    (started !== undefined && (tree.has(started) || buildScriptOf(pkg) !== undefined)) ||
    sources.some((path) => /^(?:src\/)?server\./.test(path))
  if (!isServer) return []
  const named = [started, main].flatMap((path) => (path && CODE.test(path) ? [path] : []))
  const builds = buildScriptOf(pkg) !== undefined
  // What package.json names and nobody uploaded, the build makes.
  const made = builds ? [...named.filter((path) => !tree.has(path)), ...BUILT] : []
  const given = [...named.filter((path) => tree.has(path)), ...sources]
  return given.length === 0 && named.length === 0 ? [] : [...new Set([...made, ...given])]
}

/** `node --inspect dist/main.js` starts `dist/main.js`. */
function startedFile(script: string | undefined): string | undefined {
  if (script === undefined || script.length > 1024) return undefined
  const words = script.trim().split(/\s+/)
  const node = words.findIndex(
    (word) => word === 'node' || word === 'nodemon' || word === 'tsx' || word === 'ts-node',
  )
  if (node === -1) return undefined
  const file = words.slice(node + 1).find((word) => !word.startsWith('-'))
  const path = file === undefined ? undefined : readFolder(file)
  if (path === undefined || path === '') return undefined
  if (CODE.test(path)) return path
  // Node finds the extension by itself.
  return /^[\w./@-]+$/.test(path) && !path.includes('.') ? `${path}.js` : undefined
}

const PYTHON_NAMES = ['app', 'index', 'main', 'server', 'wsgi', 'asgi', 'application'] as const
const PYTHON_FOLDERS = ['', 'src/', 'app/'] as const

/** The file with the `app` of a Python server. One in `api` is a function. */
export function pythonServerEntries(tree: SourceTree): readonly string[] {
  const usual = PYTHON_FOLDERS.flatMap((folder) => PYTHON_NAMES.map((name) => `${folder}${name}.py`))
  // Django keeps it in the folder of the project, whatever that is called.
  const django = tree.paths
    .filter((path) => /^[^/]+\/(?:wsgi|asgi)\.py$/.test(path))
    .sort()
    .reverse()
  return [...new Set([...usual.filter((path) => tree.has(path)), ...django])]
}
