/**
 * `npm run build:server`: the server as few files instead of the 1,800 that it is made of. Node reads,
 * resolves and strips every file by itself, which is most of what a start takes, and half of the memory afterwards.
 *
 * The command line of a clone is bundled as well; that of a package is in build-package.ts.
 *
 * Both are caches and no more. A start looks whether there is one of exactly its sources; else it runs from them.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import {
  BUNDLE_ENTRY,
  BUNDLES,
  CLI_BUNDLES,
  CLI_ENTRY,
  stateOfCli,
  stateOfSources,
} from '../src/process/supervisor/bundle.ts'

const root = resolve(import.meta.dirname, '..')

/** A server that runs may still load parts of the bundle it was started with. */
const KEPT = 5

/** What is started as a thread, of which each is a file of the bundle: its sources would be stripped again for every start. */
const THREAD = /\bnew URL\((['"])\.\/([\w-]+-thread)(\.[jt]s)\1, import\.meta\.url\)/g

/**
 * Code that looks for a neighbour by its place finds it where the file lies that it was taken from. The sources of threads that it
 * starts are noted by their names in the bundle.
 */
const ownPlaces = (sources: string, outdir: string, threads: Record<string, string> = {}): Plugin => ({
  name: 'own-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
      if (!path.startsWith(`${sources}/`)) return undefined
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta')) return undefined
      const url = `new URL(${JSON.stringify(relative(outdir, path))}, __bundle)`
      const withThreads = text.replaceAll(THREAD, (_, _quote, name, extension) => {
        threads[name] = join(dirname(path), `${name}${extension}`)
        return `new URL('${name}.cjs', __bundle)`
      })
      const contents = withThreads.replaceAll(/\bimport\.meta\.(url|dirname)\b/g, (_, what) =>
        what === 'url' ? `${url}.href` : `__pathOf(new URL('.', ${url})).slice(0, -1)`,
      )
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
    })
  },
})

/** What is loaded only when it is needed stays in its package. */
const laterPackages: Plugin = {
  name: 'later-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[@a-z]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

/** It names its own folder, which a module does not have, for programs of clients on Windows and what it has in itself. */
const ssh2Places: Plugin = {
  name: 'ssh2-places',
  setup({ onLoad }) {
    onLoad({ filter: /\/ssh2\/lib\/.*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      return text.includes('__dirname')
        ? { contents: text.replaceAll('__dirname', '""'), loader: 'js' }
        : undefined
    })
  },
}

/**
 * pino asks where it is called from, for transports that are named by a path, of which there are none here. To answer, the
 * engine looks for the ends of all lines of the bundle and remembers them: 15 ms of each start, and 2 MB of each process.
 */
const nobodyCalls: Plugin = {
  name: 'nobody-calls',
  setup({ onLoad }) {
    onLoad({ filter: /\/pino\/lib\/caller\.js$/ }, () => ({ contents: 'module.exports = () => []' }))
  },
}

/** The supervisor never becomes a child, and what children are made of is nineteen twentieths of the server. */
const noChildren: Plugin = {
  name: 'no-children',
  setup({ onResolve }) {
    onResolve({ filter: /\/run-child\.[jt]s$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

/** No modules: of these, the engine would keep no code that was compiled after they were loaded. */
const commonOf = (outdir: string): BuildOptions => ({
  absWorkingDir: root,
  outdir,
  outExtension: { '.js': '.cjs' },
  ...{ bundle: true, format: 'cjs', platform: 'node', target: 'node24', charset: 'ascii' },
  // They become calls of require: code that is loaded from memory has no import of its own.
  supported: { 'dynamic-import': false },
  logLevel: 'warning',
  // The first is a program with a library around it; the others are looked for and need not be there.
  external: ['esbuild', 'pg-native', 'cpu-features', '*/sshcrypto.node'],
  define: { 'import.meta.url': '__bundle' },
  banner: {
    js: "const{fileURLToPath:__pathOf,pathToFileURL:__urlOf}=require('node:url');const __bundle=__urlOf(__filename).href;",
  },
})

/**
 * esbuild leaves templates with a tag and regular expressions as they are written, since code could look at their source.
 * `loadCompiled` would take every byte of them for a character.
 */
async function writeInAscii(outdir: string): Promise<void> {
  for (const name of (await readdir(outdir)).filter((each) => each.endsWith('.cjs'))) {
    const file = join(outdir, name)
    const text = await readFile(file, 'utf8')
    const asIs = /String\.raw`[^`]*[^\0-\x7f][^`]*`/.exec(text)?.[0]
    if (asIs) throw new Error(`A template of String.raw can only have ASCII in the bundle: ${asIs}`)
    await writeFile(file, text.replace(/[^\0-\x7f]/g, escaped))
  }
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Fills a folder with what `process/child-main` of these sources leads to. */
export async function bundleServer(sources: string, outdir: string): Promise<void> {
  const source = (name: string) => {
    const path = join(sources, 'process', name)
    return existsSync(`${path}.ts`) ? `${path}.ts` : `${path}.js`
  }
  // Only now: most of the time there is nothing to do.
  const { build } = await import('esbuild')
  const common = commonOf(outdir)
  const threads: Record<string, string> = {}
  const plugins = [ownPlaces(sources, outdir, threads), ssh2Places, nobodyCalls, laterPackages]
  // The entry loads one of the others, with what was compiled of it before.
  const entry = { [BUNDLE_ENTRY.replace('.cjs', '')]: source('child-main') }
  const [child, supervisor] = [{ child: source('start') }, { supervisor: source('start') }]
  await build({ ...common, entryPoints: { ...entry, ...child }, plugins })
  await build({ ...common, entryPoints: supervisor, plugins: [noChildren, ...plugins] })
  await build({ ...common, entryPoints: threads, plugins })
  await writeInAscii(outdir)
  await bundlePacking(join(sources, 'builder/output/inside'), join(outdir, 'pack'))
}

/**
 * What packs the output of every build, in a sandbox that nothing compiled is kept for. Its packages stay where they are. A
 * package has no types to strip, and does without.
 */
async function bundlePacking(inside: string, outdir: string): Promise<void> {
  const entry = join(inside, 'main.ts')
  if (!existsSync(entry)) return
  const { build } = await import('esbuild')
  await build({
    absWorkingDir: root,
    entryPoints: { main: entry },
    outdir,
    outExtension: { '.js': '.mjs' },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node24' },
    ...{ packages: 'external', logLevel: 'warning' },
  })
}

/** Server code that a command loads is loaded from its own place. */
const ownServer = (sources: string, outdir: string): Plugin => ({
  name: 'own-server',
  setup({ onResolve }) {
    onResolve({ filter: /^#src\// }, ({ path }) => ({
      path: relative(outdir, join(sources, path.slice('#src/'.length))),
      external: true,
    }))
  },
})

/** Fills a folder with the command line of a clone. */
async function bundleCli(sources: string, outdir: string): Promise<void> {
  const { build } = await import('esbuild')
  const entryPoints = {
    [CLI_ENTRY.replace('.cjs', '')]: join(sources, 'process/cli-main.ts'),
    cli: join(sources, 'cli/start.ts'),
  }
  const plugins = [ownPlaces(sources, outdir), ownServer(sources, outdir)]
  await build({ ...commonOf(outdir), entryPoints, plugins })
  await writeInAscii(outdir)
}

interface Bundle {
  /** Has a folder for each state of the sources. */
  readonly bundles: string
  readonly state: string
  readonly entry: string
  readonly make: (sources: string, outdir: string) => Promise<void>
}

/** Made aside and put in place whole, so that nobody finds half of it. */
async function keepBundle({ bundles, state, entry, make }: Bundle): Promise<void> {
  const folder = join(bundles, state)
  if (existsSync(join(folder, entry))) return utimes(folder, new Date(), new Date())
  const aside = `${folder}.${process.pid}`
  try {
    await make(join(root, 'src'), aside)
    await rename(aside, folder).catch((error: NodeJS.ErrnoException) => {
      // Somebody else was faster, with the same.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
  await forgetOld(bundles)
}

async function forgetOld(bundles: string): Promise<void> {
  const names = (await readdir(bundles)).filter((name) => !name.includes('.'))
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(bundles, name))).mtimeMs })),
  )
  aged.sort((a, b) => b.at - a.at)
  for (const { name } of aged.slice(KEPT)) await rm(join(bundles, name), { recursive: true, force: true })
}

if (import.meta.main) {
  await keepBundle({ bundles: BUNDLES, state: stateOfSources(), entry: BUNDLE_ENTRY, make: bundleServer })
  await keepBundle({ bundles: CLI_BUNDLES, state: stateOfCli(), entry: CLI_ENTRY, make: bundleCli })
}
