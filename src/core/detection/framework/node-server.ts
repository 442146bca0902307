import { buildScriptOf, type PackageJson } from '../config/package-json.ts'
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
 * such library, no `start` script that runs a file, no file called server in a package, and none that listens.
 */
export async function nodeServerEntries(
  tree: SourceTree,
  pkg: PackageJson | undefined,
  framework: Framework | undefined,
): Promise<readonly string[]> {
  const builds = buildScriptOf(pkg) !== undefined
  const start = startOf(pkg)
  // Where nothing is built the whole command can be run, with what it loads before.
  const started = start?.isPrepared && !builds ? undefined : start?.file
  const main = pkg?.main === undefined ? undefined : readFolder(pkg.main)
  const named = [started, main].flatMap((path) => (path && CODE.test(path) ? [path] : []))
  const sources = SOURCES.filter((path) => tree.has(path))
  const given = [...named.filter((path) => tree.has(path)), ...sources]
  const isServer =
    framework !== undefined ||
    // One that is there for development alone may serve the pages while somebody writes them.
    SERVER_PACKAGES.some((name) => Object.hasOwn(pkg?.dependencies ?? {}, name)) ||
    (started !== undefined && (tree.has(started) || builds)) ||
    (pkg !== undefined && sources.some((path) => /^(?:src\/)?server\./.test(path)))
  const listening = isServer ? [] : await listeningFiles(tree, given)
  if (!isServer && listening.length === 0) return []
  // What package.json names and nobody uploaded, the build makes.
  const made = builds ? [...named.filter((path) => !tree.has(path)), ...BUILT] : []
  return given.length === 0 && named.length === 0 ? [] : [...new Set([...made, ...listening, ...given])]
}

/** A server is made with one of these, and nothing that a browser runs is. */
const IMPORTS_SERVER = new RegExp(
  `(?:\\brequire\\s*\\(\\s*|\\bfrom\\s*|\\bimport\\s*(?:\\(\\s*)?)["'](?:(?:node:)?(?:http|https|http2|net)|${SERVER_PACKAGES.join('|')})["']`,
)
const LISTENS = /\.listen\s*\(|\bcreate(?:Secure)?Server\s*\(|\bserve\s*\(/
const SERVES = /\b(?:Bun|Deno)\.serve\s*\(/
const SERVES_BY_BUN = /\bBun\.serve\s*\(/
const OF_BUN = /^bun(?::[a-z]+)?$/
const IMPORTS = /\bimport\s(?!\s*type\b)/

/** Whether Bun is what starts the server, or its own source has what no other runtime has. */
export async function runsOnBun(
  tree: SourceTree,
  pkg: PackageJson | undefined,
  entries: readonly string[],
): Promise<boolean> {
  if (startOf(pkg)?.starter === 'bun') return true
  const source = entries.find((path) => tree.has(path))
  return source !== undefined && needsBun((await tree.text(source)) ?? '')
}

/** Cut at quotes once: an expression for the whole would look for the next quote anew from each import. */
function needsBun(text: string): boolean {
  if (SERVES_BY_BUN.test(text)) return true
  const parts = text.split(/(["';])/)
  return parts.some(
    (clause, at) =>
      at % 2 === 0 &&
      OF_BUN.test(parts[at + 2] ?? '') &&
      [parts[at + 1], parts[at + 3]].every((quote) => quote === '"' || quote === "'") &&
      IMPORTS.test(clause),
  )
}

async function listeningFiles(tree: SourceTree, paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of new Set(paths)) {
    const text = (await tree.text(path)) ?? ''
    if (SERVES.test(text) || (IMPORTS_SERVER.test(text) && LISTENS.test(text))) found.push(path)
  }
  return found
}

/** What starts a file, in the way of `node dist/main.js`. */
const STARTERS = [
  'node',
  'nodemon',
  'tsx',
  'ts-node',
  'ts-node-dev',
  'babel-node',
  'bun',
  'pm2',
  'pm2-runtime',
]
const SUBCOMMANDS = ['start', 'run', 'watch']

const PREPARES = [
  ...['-r', '--require', '--import', '--loader', '--experimental-loader', '--preload'],
  ...['--env-file', '--env-file-if-exists'],
]
const OF_NODE = [...PREPARES, '-C', '--conditions', '--watch-path', '--title', '--disable-warning']
const OF_TS_NODE = ['-P', '--project', '-O', '--compiler-options', '--cwd', '--dir', '-I', '--ignore']
const OF_NODEMON = ['-w', '--watch', '-e', '--ext', '-x', '--exec', '-i', '--ignore', '-d', '--delay']
const OF_PM2 = ['-i', '--instances', '-n', '--name', '--env', '--interpreter', '--node-args', '-l', '--log']
/** Options of a starter after which comes a word that is not the file. */
const OPTIONS_WITH_VALUE: Readonly<Record<string, readonly string[]>> = {
  node: OF_NODE,
  tsx: [...OF_NODE, '--tsconfig'],
  'ts-node': [...OF_NODE, ...OF_TS_NODE],
  'ts-node-dev': [...OF_NODE, ...OF_TS_NODE, '--watch'],
  'babel-node': [...OF_NODE, '--presets', '--plugins', '--extensions', '-x', '--config-file'],
  nodemon: [...OF_NODE, ...OF_NODEMON, '--config', '-s', '--signal'],
  bun: [...PREPARES, '--cwd', '-c', '--config'],
  pm2: OF_PM2,
  'pm2-runtime': OF_PM2,
}
/** It says which files are started, and is none of them. */
const PM2_CONFIG = /\.config\.[cm]?js$/
/** What runs code as well, but names it in a way of its own. */
const RUNS_CODE = new Set([
  ...[...STARTERS, 'ts-node-esm', 'deno', 'forever', 'fastify', 'sh', 'bash'],
  ...['python', 'python3', 'gunicorn', 'uvicorn', 'hypercorn'],
])
const MOST_STEPS = 5
const LONGEST_SCRIPT = 1024

interface Start {
  readonly starter: string
  readonly file: string
  /** Something else is loaded before the file. */
  readonly isPrepared: boolean
}

/** `node --inspect dist/main.js` starts `dist/main.js`, and so does `npm run serve` where `serve` is that. */
function startOf(pkg: PackageJson | undefined): Start | undefined {
  const script = startScript(pkg)
  if (script.length > LONGEST_SCRIPT) return undefined
  // What runs a script of the package before is no starter of a file.
  const commands = script.split('&&')
  return startIn(commands.filter((command) => scriptRunBy(command, pkg) === undefined).join('&&'))
}

/** Whether `start` runs code that is there, such as `node .`, also where its words do not tell which file that is. */
export function startsProgram(pkg: PackageJson | undefined): boolean {
  const words = wordsOf(startScript(pkg).slice(0, LONGEST_SCRIPT))
  return words[0]?.startsWith('./') === true || words.some((word) => RUNS_CODE.has(word))
}

/** Empty where there is none. */
function startScript(pkg: PackageJson | undefined): string {
  let script = pkg?.scripts.start
  for (let step = 0; step < MOST_STEPS; step++) {
    const next = scriptRunBy(script ?? '', pkg)
    if (next === undefined) break
    script = pkg?.scripts[next]
  }
  return script ?? ''
}

/** The script of the package that a command such as `npm run serve` runs. */
function scriptRunBy(command: string, pkg: PackageJson | undefined): string | undefined {
  const name = /^\s*(?:(?:npm|pnpm|bun|yarn)\s+run|yarn)\s+([\w:.-]+)\s*$/.exec(command)?.[1]
  return name !== undefined && Object.hasOwn(pkg?.scripts ?? {}, name) ? name : undefined
}

const wordsOf = (script: string): readonly string[] => script.match(/"[^"]*"|'[^']*'|\S+/g) ?? []

function startIn(script: string): Start | undefined {
  const words = wordsOf(script)
  const at = words.findIndex((word) => STARTERS.includes(word))
  const starter = words[at]
  if (starter === undefined) return undefined
  const withValue = OPTIONS_WITH_VALUE[starter] ?? []
  const word = words.find(
    (each, i) =>
      i > at &&
      !each.startsWith('-') &&
      !SUBCOMMANDS.includes(each) &&
      !withValue.includes(words[i - 1] as string),
  )
  const path = word === undefined ? undefined : readFolder(word)
  if (path === undefined || path === '') return undefined
  if (starter.startsWith('pm2') && PM2_CONFIG.test(path)) return undefined
  const isPrepared = words.slice(at).some((each) => PREPARES.includes(each))
  if (CODE.test(path)) return { starter, file: path, isPrepared }
  // Node finds the extension by itself.
  return /^[\w./@-]+$/.test(path) && !path.includes('.')
    ? { starter, file: `${path}.js`, isPrepared }
    : undefined
}
