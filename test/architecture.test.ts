import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
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
  dns: ['core', 'contract'],
  builder: ['core', 'contract'],
  // Runs inside the sandbox, beside the code of users.
  launcher: [],
  client: ['contract'],
  cli: ['client', 'contract'],
  dashboard: ['client', 'contract'],
  // Everything that composes the parts: main.ts, config.ts and what they are made of.
  process: ['config.ts', 'core', 'contract', 'adapters', 'http', 'edge', 'dns', 'builder'],
  'config.ts': ['contract'],
  'main.ts': ['process', 'config.ts'],
  // The program behind `aloft dev`.
  'dev.ts': ['process', 'client', 'contract'],
}

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

const files = globSync('**/*.{ts,tsx}', { cwd: src }).filter((file) => !file.endsWith('.test.ts'))

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8')
  const found: Import[] = []
  for (const match of text.matchAll(
    /^\s*(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm,
  )) {
    const specifier = match[2] as string
    const to = specifier.startsWith('#')
      ? specifier.replace(/^#src\//, '').replace(/^#/, '')
      : specifier.startsWith('.')
        ? relative(src, resolve(src, dirname(file), specifier))
        : undefined
    if (to !== undefined) found.push({ from: file, to, typeOnly: match[1] !== undefined })
  }
  return found
}

const layerOf = (file: string) => file.split('/')[0] as string
const imports = files.flatMap(importsOf)

test('every layer imports only what its arrow allows', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [a, b] = [layerOf(from), layerOf(to)]
    return a !== b && !(ARROWS[a] ?? []).includes(b)
  })
  assert.deepEqual(wrong, [])
})

test('every top-level name under src/ is a known layer', () => {
  assert.deepEqual(
    [...new Set(files.map(layerOf))].filter((layer) => !(layer in ARROWS)),
    [],
  )
})

test('imports name a file that exists, and there are no cycles among them', () => {
  const known = new Set([...files, ...globSync('**/*.css', { cwd: src })])
  const next = new Map<string, string[]>()
  for (const { from, to, typeOnly } of imports) {
    assert.ok(known.has(to), `${from} imports ${to}, which is not there`)
    if (!typeOnly) next.set(from, [...(next.get(from) ?? []), to])
  }
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), `import cycle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
    if (done.has(file)) return
    for (const to of next.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
})

test('only adapters/sql knows Kysely, only http knows Fastify, only config.ts reads the environment', () => {
  const allowed: Record<string, RegExp> = {
    "from 'kysely'": /^adapters\/sql\//,
    "from 'fastify'": /^http\//,
    'process.env': /^(config\.ts|process\/|cli\/|main\.ts)/,
  }
  for (const file of files) {
    const text = readFileSync(join(src, file), 'utf8')
    for (const [needle, where] of Object.entries(allowed))
      if (text.includes(needle)) assert.match(file, where, `${file} contains ${needle}`)
  }
})
