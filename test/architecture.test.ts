import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '..')
const src = join(root, 'src')

/** From each layer, the layers it may import. A file directly under src/ is a layer of its own. */
const ARROWS: Record<string, readonly string[]> = {
  contract: [],
  core: ['contract'],
  adapters: ['core', 'contract'],
  http: ['core', 'contract'],
  edge: ['core', 'contract'],
  // The sockets that visitors and clients of the API reach, whoever answers them.
  listener: ['core', 'contract'],
  dns: ['core', 'contract', 'listener'],
  // Git over SSH.
  ssh: ['core', 'contract', 'listener'],
  builder: ['core', 'contract'],
  // Runs inside the sandbox, beside the code of users.
  launcher: [],
  client: ['contract'],
  cli: ['client', 'contract'],
  dashboard: ['client', 'contract'],
  // Everything that composes the parts: main.ts, config and what they are made of.
  process: ['config', 'core', 'contract', 'adapters', 'http', 'edge', 'listener', 'dns', 'ssh', 'builder'],
  config: ['contract'],
  'main.ts': ['process', 'config'],
  // The program behind `aloft dev`.
  'dev.ts': ['process', 'client', 'contract'],
}

/** What only some commands need, and load when they run: the server itself, and its data while it is stopped. */
const LOADED: Record<string, readonly string[]> = { cli: ['process'] }

interface Import {
  readonly from: string
  readonly to: string
  readonly isLoaded: boolean
}

const files = globSync('**/*.{ts,tsx}', { cwd: src }).filter((file) => !/\.test\.tsx?$/.test(file))

/** Where an import leads to, from src/ on; undefined for packages. */
function pathOf(importer: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return specifier.replace(/^#src\//, '').replace(/^#/, '')
  if (specifier.startsWith('.')) return relative(src, resolve(root, dirname(importer), specifier))
  return undefined
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8')
  const found: Import[] = []
  for (const match of text.matchAll(
    /^\s*(?:import|export)\s+(?:type\s+)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
  )) {
    const to = pathOf(join('src', file), (match[1] ?? match[2]) as string)
    if (to !== undefined) found.push({ from: file, to, isLoaded: match[1] === undefined })
  }
  return found
}

const layerOf = (file: string) => file.split('/')[0] as string
const imports = files.flatMap(importsOf)

test('every layer imports only what its arrow allows', () => {
  const wrong = imports.filter(({ from, to, isLoaded }) => {
    const [a, b] = [layerOf(from), layerOf(to)]
    const allowed = [...(ARROWS[a] ?? []), ...(isLoaded ? (LOADED[a] ?? []) : [])]
    return a !== b && !allowed.includes(b)
  })
  assert.deepEqual(wrong, [])
})

test('every top-level name under src/ is a known layer', () => {
  assert.deepEqual(
    [...new Set(files.map(layerOf))].filter((layer) => !(layer in ARROWS)),
    [],
  )
})

test('imports name a file that exists', () => {
  const known = new Set([...files, ...globSync('**/*.css', { cwd: src })])
  for (const { from, to } of imports) assert.ok(known.has(to), `${from} imports ${to}, which is not there`)
})

/** The peer of a connection may be a proxy, which tells who asks. */
test('nobody but `senderOf` says where a request comes from', () => {
  const asks =
    /\.remoteAddress\b|\bsocket\.encrypted\b|\bFastifyRequest\b(?:.|\n)*\brequest\.(?:ip|protocol)\b/
  const wrong = files.filter(
    (file) =>
      // The fast path has the connections of visitors themselves.
      /^(?:core|edge|http|process)\/(?!fast\/)/.test(file) &&
      asks.test(readFileSync(join(src, file), 'utf8')),
  )
  assert.deepEqual(wrong, ['core/access/sender.ts'])
})

/** Groups of files of which each imports every other, directly or by way of others (Tarjan). */
function cyclesOf(edges: readonly Import[]): string[][] {
  const next = Map.groupBy(edges, ({ from }) => from)
  const order = new Map<string, number>()
  const path: string[] = []
  const groups: string[][] = []
  const visit = (file: string): number => {
    const mine = order.size
    order.set(file, mine)
    let low = mine
    path.push(file)
    for (const { to } of next.get(file) ?? [])
      if (!order.has(to)) low = Math.min(low, visit(to))
      else if (path.includes(to)) low = Math.min(low, order.get(to) as number)
    if (low === mine) {
      const group = path.splice(path.indexOf(file))
      if (group.length > 1) groups.push(group.sort())
    }
    return low
  }
  for (const file of files) if (!order.has(file)) visit(file)
  return groups
}

/**
 * Files whose types know each other in a circle are read together or not at all, so those count too. What is loaded by a
 * command that runs may know the table that it is in: `aloft completion` lists it.
 */
test('there are no import cycles', () => {
  assert.deepEqual(cyclesOf(imports.filter(({ isLoaded }) => !isLoaded)), [])
})

/** What every file exports, by name. */
const EXPORTED = /^export (?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm

/** Programs import the first as `aloft/contract/<noun>`; the others are where bundles begin, or stand in for a package in one. */
const KNOWN_ELSEWHERE = /^(contract\/api\/.*|process\/child-main|dashboard\/api\/schemas)\.ts$/

test('everything that is exported is imported somewhere', () => {
  const wholly = new Set<string>()
  const named = new Set<string>()
  for (const folder of ['src', 'test', 'bench', 'scripts', 'bin'])
    for (const file of globSync('**/*.{ts,tsx,js}', { cwd: join(root, folder), exclude: ['apps/**'] })) {
      const text = readFileSync(join(root, folder, file), 'utf8')
      for (const [, clause, from, loaded] of text.matchAll(
        /^(?:import|export) ([^'"]*?) from '([^']+)'|\bimport\(\s*'([^']+)'/gm,
      )) {
        const to = pathOf(join(folder, file), (from ?? loaded) as string)
        if (to === undefined) continue
        if (clause === undefined || clause.includes('*')) wholly.add(to)
        else for (const [name] of clause.matchAll(/\w+/g)) named.add(`${to} ${name}`)
      }
    }
  const unused = files
    .filter((file) => !KNOWN_ELSEWHERE.test(file) && !wholly.has(file))
    .flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(EXPORTED)]
        .filter(([, name]) => !named.has(`${file} ${name}`))
        .map(([, name]) => `${file} ${name}`),
    )
  assert.deepEqual(unused, [])
})

test('only adapters/sql knows Kysely, only http knows Fastify, only the composing parts read the environment', () => {
  const allowed: Record<string, RegExp> = {
    "from 'kysely'": /^adapters\/sql\//,
    "from 'fastify'": /^http\//,
    // Stores ask for what they need of a database, and not which one they have.
    'is-postgres.ts': /^adapters\/sql\/(database|migrations|log\/log-migrations)\//,
    'process.env': /^(config\/|process\/|cli\/|main\.ts)/,
  }
  for (const file of files) {
    const text = readFileSync(join(src, file), 'utf8')
    for (const [needle, where] of Object.entries(allowed))
      if (text.includes(needle)) assert.match(file, where, `${file} contains ${needle}`)
  }
})

test('ARCHITECTURE.md names files that exist', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const named = [...text.matchAll(/`([\w./-]+\/[\w.-]+\.tsx?)`/g)].map(([, path]) => path as string)
  const isThere = (path: string) => ['.', 'src', 'src/edge'].some((at) => existsSync(join(root, at, path)))
  assert.deepEqual(
    named.filter((path) => !isThere(path)),
    [],
  )
})

test('ARCHITECTURE.md names every room of the folders in its table', () => {
  const rows = [
    ...readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/^\| (`[\w/-]+`)? ?\|(.*)\|$/gm),
  ]
  const rowsOf = new Map<string, string>()
  let folder = ''
  for (const [, named, rest = ''] of rows) {
    folder = named?.slice(1, -1) ?? folder
    rowsOf.set(folder, `${rowsOf.get(folder) ?? ''}${rest}`)
  }
  assert.ok(rowsOf.size > 15)
  for (const [name, text] of rowsOf) {
    if (text.includes('one per noun')) continue
    const rooms = files
      .filter((file) => file.startsWith(`${name}/`))
      .map((file) => file.slice(name.length + 1))
    for (const room of new Set(rooms.filter((file) => file.includes('/')).map(layerOf)))
      assert.match(text, new RegExp(`[\`/]${room}[\`/]`), `${name}/${room} is in no row`)
  }
})
