/**
 * Fills `dist/` for `npm pack`, which runs it. A clone runs from TypeScript and needs none of this; but Node strips no
 * types below `node_modules`, so a package has to hold JavaScript.
 *
 * `dist/` has the folders of `src/`, file by file, as each was: code that looks for a neighbour by its place finds it
 * there. Two folders differ: the command line is bundled, because it is started for every command and one file is read
 * faster than a hundred; and the dashboard is what Vite makes of it. One more is added, `server`: what the processes of a
 * server run, in a few files (see build-server.ts).
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { bundleServer } from './build-server.ts'

const root = resolve(import.meta.dirname, '..')
const src = join(root, 'src')
const dist = join(root, 'dist')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** What the command line is made of; whatever else it loads stays where it is. */
const BUNDLED = ['cli', 'client', 'contract']
const FOR_TESTS = /\.test\.ts$|-testing\.ts$|(^|\/)testing\//
/** A module of ours, as it is named in imports, in `new URL(…, import.meta.url)` and in declarations. */
const NAMED = /(['"])((?:\.{1,2}|#\w+)\/[^'"\n]*\.ts)\1/g

const layerOf = (path: string): string => relative(src, path).split('/')[0] ?? ''

/** The source that a file of ours means by a name, or undefined. */
function sourceOf(name: string, from: string): string | undefined {
  const [alias = '', ...rest] = name.split('/')
  const target: string | undefined = manifest.imports[`${alias}/*`]
  const path = name.startsWith('#')
    ? target && resolve(root, target.replace('*', rest.join('/')))
    : resolve(dirname(from), name)
  return path?.startsWith(src) && existsSync(path) ? path : undefined
}

const scriptName = (path: string): string => path.replace(/\.ts$/, '.js')

/** The same text, with the modules it names by the places they have in `dist/`. */
const renamed = (text: string, from: string): string =>
  text.replaceAll(NAMED, (whole, quote: string, name: string) => {
    const source = sourceOf(name, from)
    if (source === undefined) return whole
    const path = relative(dirname(from), scriptName(source))
    return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
  })

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

/** Types become spaces, as when Node runs the source: lines and columns in traces stay what they are. */
async function mirror(): Promise<void> {
  for (const path of globSync('**/*.*', { cwd: src })) {
    const [from, to] = [join(src, path), join(dist, path)]
    if (/^(cli|dashboard)\//.test(path) || FOR_TESTS.test(path) || /\.(md|pyc)$|biome\.json$/.test(path))
      continue
    if (path.endsWith('.ts'))
      await write(scriptName(to), stripped(path, renamed(readFileSync(from, 'utf8'), from)))
    else await cp(from, to)
  }
}

function stripped(path: string, text: string): string {
  try {
    return stripTypeScriptTypes(text)
  } catch (error) {
    throw new Error(`${path} cannot be stripped of its types`, { cause: error })
  }
}

/** What every command begins with. */
const START = join(src, 'cli/start.ts')

/**
 * Keeps the arrows of the sources: server code that a command loads is loaded from its own place. What is loaded later
 * imports what every command begins with, so that all of that is one file: esbuild makes one for each set of entries
 * that have something in common, and a start would read thirteen.
 */
const layers: Plugin = {
  name: 'layers',
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path, pluginData }) =>
      pluginData?.isLate
        ? { contents: `import ${JSON.stringify(START)};${readFileSync(path, 'utf8')}`, loader: 'ts' }
        : undefined,
    )
    onResolve({ filter: /^[.#].*\.ts$/ }, ({ path, importer, kind }) => {
      const source = sourceOf(path, importer)
      if (source === undefined)
        return { errors: [{ text: `${importer} imports ${path}, which is not there` }] }
      const isLate = kind === 'dynamic-import' && source !== START
      if (BUNDLED.includes(layerOf(source))) return { path: source, pluginData: { isLate } }
      return { path: `../${scriptName(relative(src, source))}`, external: true }
    })
  },
}

async function bundleCommandLine(): Promise<void> {
  // Chunks lie beside the entry, where only a file of that very folder finds its neighbours.
  for (const path of globSync(`{${BUNDLED}}/**/*.ts`, { cwd: src }))
    if (
      dirname(path) !== 'cli' &&
      !FOR_TESTS.test(path) &&
      /import\.meta/.test(readFileSync(join(src, path), 'utf8'))
    )
      throw new Error(`${path} looks for files beside it, which a bundle does not have there`)
  await build({
    entryPoints: { 'cli/main': join(src, 'cli/main.ts') },
    outdir: dist,
    chunkNames: 'cli/[name]-[hash]',
    ...{
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      logLevel: 'warning',
    },
    // Names stay, for traces of `--debug`.
    ...{ minifySyntax: true, minifyWhitespace: true, legalComments: 'none' },
    banner: { js: "import{createRequire as _r}from'node:module';const require=_r(import.meta.url);" },
    plugins: [layers],
  })
}

/** Of what other programs import. */
async function declareTypes(): Promise<void> {
  // Whether the types are right is what `npm run check` tells; here they are written down.
  run('tsc', ['-p', 'scripts/tsconfig.types.json', '--noCheck'])
  for (const path of globSync('{client,contract}/**/*.d.ts', { cwd: dist })) {
    const text = readFileSync(join(dist, path), 'utf8')
    await writeFile(join(dist, path), renamed(text, join(src, path)))
  }
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`)
}

for (const name of existsSync(dist) ? await readdir(dist) : [])
  if (name !== 'dashboard') await rm(join(dist, name), { recursive: true })
await mirror()
await bundleServer(dist, join(dist, 'server'))
await bundleCommandLine()
await declareTypes()
run('npm', ['run', '--if-present', '--silent', 'build:dashboard'])
