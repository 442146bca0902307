/**
 * `npm run build:server`: the server as three files instead of the 1,800 that it is made of. Node reads,
 * resolves and strips every file by itself, which is most of what a start takes, and half of the memory afterwards.
 *
 * It is a cache and no more. A start looks whether there is one of exactly these sources; else it runs from the sources.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { BUNDLE_ENTRY, BUNDLES, stateOfSources } from '../src/process/supervisor/bundle.ts'

const root = resolve(import.meta.dirname, '..')

/** A server that runs may still load parts of the bundle it was started with. */
const KEPT = 5

/** Code that looks for a neighbour by its place finds it where the file lies that it was taken from. */
const ownPlaces = (sources: string, outdir: string): Plugin => ({
  name: 'own-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
      if (!path.startsWith(`${sources}/`)) return undefined
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta')) return undefined
      const url = `new URL(${JSON.stringify(relative(outdir, path))}, __bundle)`
      const contents = text.replaceAll(/\bimport\.meta\.(url|dirname)\b/g, (_, what) =>
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

/** The supervisor never becomes a child, and what children are made of is nineteen twentieths of the server. */
const noChildren: Plugin = {
  name: 'no-children',
  setup({ onResolve }) {
    onResolve({ filter: /\/run-child\.[jt]s$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

/** Fills a folder with what `process/child-main` of these sources leads to. */
export async function bundleServer(sources: string, outdir: string): Promise<void> {
  const source = (name: string) => {
    const path = join(sources, 'process', name)
    return existsSync(`${path}.ts`) ? `${path}.ts` : `${path}.js`
  }
  // Only now: most of the time there is nothing to do.
  const { build } = await import('esbuild')
  const common: BuildOptions = {
    absWorkingDir: root,
    outdir,
    outExtension: { '.js': '.cjs' },
    // Of a module, the engine would keep no code that was compiled after it was loaded.
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
  }
  const plugins = [ownPlaces(sources, outdir), ssh2Places, laterPackages]
  // The entry loads one of the others, with what was compiled of it before.
  const entry = { [BUNDLE_ENTRY.replace('.cjs', '')]: source('child-main') }
  const [child, supervisor] = [{ child: source('start') }, { supervisor: source('start') }]
  await build({ ...common, entryPoints: { ...entry, ...child }, plugins })
  await build({ ...common, entryPoints: supervisor, plugins: [noChildren, ...plugins] })
}

/** Made aside and put in place whole, so that nobody finds half of it. */
async function keepBundle(): Promise<void> {
  const folder = join(BUNDLES, stateOfSources())
  if (existsSync(join(folder, BUNDLE_ENTRY))) return utimes(folder, new Date(), new Date())
  const aside = `${folder}.${process.pid}`
  try {
    await bundleServer(join(root, 'src'), aside)
    await rename(aside, folder).catch((error: NodeJS.ErrnoException) => {
      // Somebody else was faster, with the same.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
  await forgetOld()
}

async function forgetOld(): Promise<void> {
  const names = (await readdir(BUNDLES)).filter((name) => !name.includes('.'))
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(BUNDLES, name))).mtimeMs })),
  )
  aged.sort((a, b) => b.at - a.at)
  for (const { name } of aged.slice(KEPT)) await rm(join(BUNDLES, name), { recursive: true, force: true })
}

if (import.meta.main) await keepBundle()
