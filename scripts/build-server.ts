/**
 * `npm run build:server`: what serves and works, as a few files instead of the 1,800 that it is made of. Node reads,
 * resolves and strips every file by itself, which is most of what a start takes, and half of the memory afterwards.
 *
 * It is a cache and no more. The supervisor looks whether there is one of exactly these sources and starts its children
 * with it; else they run from the sources.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Plugin } from 'esbuild'
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
      const url = `new URL(${JSON.stringify(relative(outdir, path))}, import.meta.url)`
      const contents = text.replaceAll(/\bimport\.meta\.(url|dirname)\b/g, (_, what) =>
        what === 'url' ? `${url}.href` : `__pathOf(new URL('.', ${url})).slice(0, -1)`,
      )
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
    })
  },
})

/**
 * What is loaded only when it is needed stays in its package. Of a CommonJS module, a chunk would have none of the names
 * that Node finds in it, only a default.
 */
const laterPackages: Plugin = {
  name: 'later-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[@a-z]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

/**
 * An `import` of node:http asks for all that it exports, one of which is WebSocket, and with it comes the whole of undici: 12 MB
 * and 60 ms of the processor in each process. As an object it gives what is asked of it.
 */
const plainHttp: Plugin = {
  name: 'plain-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'plain-http' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'plain-http' }, () => ({
      contents: "module.exports = process.getBuiltinModule('node:http')",
    }))
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

/** Fills a folder with what `process/child-main` of these sources leads to. */
export async function bundleServer(sources: string, outdir: string): Promise<void> {
  const entry = existsSync(join(sources, 'process/child-main.ts')) ? 'child-main.ts' : 'child-main.js'
  // Only now: most of the time there is nothing to do.
  const { build } = await import('esbuild')
  await build({
    absWorkingDir: root,
    entryPoints: { [BUNDLE_ENTRY.replace('.mjs', '')]: join(sources, 'process', entry) },
    outdir,
    outExtension: { '.js': '.mjs' },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node24' },
    logLevel: 'warning',
    // The first is a program with a library around it; the others are looked for and need not be there.
    external: ['esbuild', 'pg-native', 'cpu-features', '*/sshcrypto.node'],
    banner: {
      js: "import{createRequire as __requireOf}from'node:module';import{fileURLToPath as __pathOf}from'node:url';const require=__requireOf(import.meta.url);",
    },
    plugins: [ownPlaces(sources, outdir), ssh2Places, plainHttp, laterPackages],
  })
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
