import { readFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import { type BuildFailure, type BuildOptions, build, type OnResolveArgs, type Plugin } from 'esbuild'
import { PackFault } from '../fault.ts'
import { type Place, show, statOf, within } from '../place.ts'

/** A source as Node can run it. */
export interface Compiled {
  /** Absolute: beside the source, under the same name with an extension that Node knows. */
  readonly path: string
  readonly code: string
  /** For those who look for the files that it reads: `import.meta` is still there. */
  readonly analysed: string
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  '.ts': '.js',
  '.tsx': '.js',
  '.jsx': '.js',
  '.mts': '.mjs',
  '.cts': '.cjs',
}

export type Compile = (file: string) => Promise<Compiled | undefined>

/**
 * Turns sources into what Node can run, one by one and each in its place, so that what a file says of its own folder
 * stays true. Paths of imports are made exact, by way of the project's tsconfig.json where it has something to say.
 * Undefined: the file is fine as it is.
 */
export function createCompile(place: Place, version: string): Compile {
  // Bun runs whatever the newest Node does.
  const target = version === '1.x' ? 'esnext' : `node${version.replace(/\.x$/, '')}`
  const known = new Map<string, Promise<Compiled | undefined>>()
  return (file) => {
    const earlier = known.get(file)
    if (earlier !== undefined) return earlier
    const compiled = compileFile(place, target, file)
    known.set(file, compiled)
    return compiled
  }
}

export const isOwn = (place: Place, file: string): boolean =>
  within(place.workspace, file) && !file.includes(`${sep}node_modules${sep}`)

/** The sources that may have become a file, or may become it. */
export function sourcesOf(file: string): string[] {
  const extension = extname(file)
  const stem = file.slice(0, file.length - extension.length)
  return Object.keys(EXTENSIONS)
    .filter((source) => EXTENSIONS[source] === extension)
    .map((source) => stem + source)
}

async function compileFile(place: Place, target: string, file: string): Promise<Compiled | undefined> {
  const extension = extname(file)
  const isPlain = extension === '.js'
  if (!isOwn(place, file) || !(isPlain || extension in EXTENSIONS)) return undefined
  // In a package of modules Node takes it as it is; else it may be written as a module all the same.
  if (isPlain && (isModule(place, file) || !/\b(import|export)\b/.test(readFileSync(file, 'utf8'))))
    return undefined
  const esm = extension === '.mts' || (extension !== '.cts' && isModule(place, file))
  const path = compiledPath(file)
  try {
    const { code, format, usesMeta } = await emit(place, target, file, esm)
    if (isPlain && format !== 'esm') return undefined
    if (!usesMeta) return { path, code, analysed: code }
    return { path, code, analysed: (await emit(place, target, file, true)).code }
  } catch (error) {
    if (!/top-level await/i.test(messageOf(error))) throw compileFault(file, error)
    // Only a module can wait while it is loaded.
    const { code } = await emit(place, target, file, true).catch((cause) => {
      throw compileFault(file, cause)
    })
    return { path: `${path.slice(0, -extname(path).length)}.mjs`, code, analysed: code }
  }
}

const META = 'const __meta_url = require("url").pathToFileURL(__filename).href;'

async function emit(place: Place, target: string, file: string, esm: boolean) {
  const options: BuildOptions = {
    absWorkingDir: place.workspace,
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: esm ? 'esm' : 'cjs',
    target,
    loader: { '.js': 'jsx' },
    // Stacks in the log then name lines of the source. Inside the file, since a file of its own would be one more to read.
    ...{ sourcemap: 'inline', sourcesContent: false, outfile: compiledPath(file), allowOverwrite: true },
    logLevel: 'silent',
    plugins: [keepApart(place, esm)],
  }
  let result = await build(options)
  const usesMeta = result.warnings.some(({ id }) => id === 'empty-import-meta')
  if (usesMeta)
    result = await build({
      ...options,
      banner: { js: META },
      define: {
        'import.meta.url': '__meta_url',
        'import.meta.dirname': '__dirname',
        'import.meta.filename': '__filename',
      },
    })
  const format = result.metafile?.inputs[relative(place.workspace, file)]?.format
  return { code: result.outputFiles?.[0]?.text ?? '', format, usesMeta }
}

const SEEN = Symbol('seen')

/** Every file stays a file of its own. Only JSON goes into a module that imports it, as older Nodes refuse to. */
const keepApart = (place: Place, esm: boolean): Plugin => ({
  name: 'keep-apart',
  setup(build) {
    build.onResolve({ filter: /.*/ }, async (args: OnResolveArgs) => {
      if (args.kind === 'entry-point' || args.pluginData === SEEN) return undefined
      const { resolveDir, kind, importer } = args
      const { path, errors, external } = await build.resolve(args.path, {
        resolveDir,
        kind,
        importer,
        pluginData: SEEN,
      })
      if (errors.length > 0 || external || !isOwn(place, path)) return { path: args.path, external: true }
      if (esm && extname(path) === '.json' && kind !== 'require-call') return undefined
      return { path: pathFrom(dirname(importer), compiledPath(path)), external: true }
    })
  },
})

const compiledPath = (file: string): string => {
  const extension = extname(file)
  return file.slice(0, file.length - extension.length) + (EXTENSIONS[extension] ?? extension)
}

function pathFrom(folder: string, file: string): string {
  const path = relative(folder, file)
  return path.startsWith('.') ? path : `./${path}`
}

/** Whether the package that a file belongs to consists of modules. */
function isModule({ workspace }: Place, file: string): boolean {
  for (let folder = dirname(file); within(workspace, folder); folder = dirname(folder)) {
    const path = join(folder, 'package.json')
    if (!statOf(path)?.isFile()) continue
    try {
      return JSON.parse(readFileSync(path, 'utf8')).type === 'module'
    } catch {
      return false
    }
  }
  return false
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export function compileFault(file: string, error: unknown): PackFault {
  const first = (error as Partial<BuildFailure>).errors?.[0]
  const at = first?.location ? `${first.location.file}:${first.location.line}` : basename(file)
  return new PackFault('compile_failed', `${show(at)} cannot be compiled: ${first?.text ?? messageOf(error)}`)
}
