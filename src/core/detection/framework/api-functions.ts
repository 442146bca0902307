import type { Route } from '../../routing/route.ts'
import { baseOf, folderOf, joined } from '../source-tree.ts'

/** A source file that becomes a function. */
export interface FunctionFile {
  /** Relative to the root directory, such as `api/users/[id].ts`. */
  readonly file: string
  readonly runtime: 'node' | 'python'
  /** Where it answers, the first being its own: `api/users/[id]`, `api/users/[id].ts`. */
  readonly paths: readonly string[]
}

const NODE_FILE = /\.(?:js|mjs|cjs|ts|mts|cts|jsx|tsx)$/
const PYTHON_FILE = /\.py$/

const runtimeOf = (file: string): FunctionFile['runtime'] | undefined =>
  /\.d\.[cm]?ts$/.test(file)
    ? undefined
    : NODE_FILE.test(file)
      ? 'node'
      : PYTHON_FILE.test(file)
        ? 'python'
        : undefined

/** Whether a file is where functions are: below `api`, and no part of its path begins with `_` or `.`. */
export const isInApi = (path: string): boolean =>
  path.startsWith('api/') && !/(?:^|\/)[_.]/.test(path) && !/(?:^|\/)node_modules\//.test(path)

/** The files below `api` that are functions. */
export const apiFiles = (paths: readonly string[], mount = ''): FunctionFile[] =>
  paths
    .filter(isInApi)
    .flatMap((path) => functionFile(path, mount) ?? [])
    .sort((a, b) => (a.file < b.file ? -1 : 1))

/** Undefined for a file in no language that is run. */
export function functionFile(file: string, mount = ''): FunctionFile | undefined {
  const runtime = runtimeOf(file)
  return runtime && { file, runtime, paths: pathsOf(joined(mount, file)) }
}

/** `api/index.js` answers at `api`, too. */
function pathsOf(file: string): readonly string[] {
  const own = file.replace(/\.[^./]+$/, '')
  const folder = folderOf(file)
  return baseOf(own) === 'index' && folder !== '' ? [own, file, folder] : [own, file]
}

export const escaped = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replaceAll('\\/', '/')

type Part =
  | { readonly kind: 'fixed'; readonly text: string }
  | { readonly kind: 'one' | 'rest' | 'maybe'; readonly name: string }

function partOf(text: string): Part {
  const match = /^(?:\[\[\.\.\.(\w[\w-]*)\]\]|\[\.\.\.(\w[\w-]*)\]|\[(\w[\w-]*)\])$/.exec(text)
  if (!match) return { kind: 'fixed', text }
  const [, maybe, rest, one] = match
  if (maybe !== undefined) return { kind: 'maybe', name: maybe }
  return rest !== undefined ? { kind: 'rest', name: rest } : { kind: 'one', name: one as string }
}

const ORDER = ['fixed', 'one', 'rest', 'maybe'] as const

/** Fixed names before parameters, parameters before those that take everything. */
function compareParts(a: readonly Part[], b: readonly Part[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const by = ORDER.indexOf((a[i] as Part).kind) - ORDER.indexOf((b[i] as Part).kind)
    if (by !== 0) return by
  }
  return b.length - a.length
}

/**
 * The rules for functions with parameters in their names: `api/users/[id]` takes `/api/users/7` and finds `id=7` in
 * its query. `[...rest]` takes any number of parts; it is told under both spellings of its name, since both are in use.
 */
export const dynamicRoutes = (functions: readonly FunctionFile[]): Route[] =>
  functions
    .map(({ paths: [path = ''] }) => ({ path, parts: path.split('/').map(partOf) }))
    .filter(({ parts }) => parts.some(({ kind }) => kind !== 'fixed'))
    .sort((a, b) => compareParts(a.parts, b.parts) || (a.path < b.path ? -1 : 1))
    .map(({ path, parts }) => dynamicRoute(path, parts))

function dynamicRoute(path: string, parts: readonly Part[]): Route {
  const query: string[] = []
  let groups = 0
  const isIndex = parts.at(-1)?.kind === 'fixed' && baseOf(path) === 'index'
  const src = (isIndex ? parts.slice(0, -1) : parts)
    .map((part) => {
      if (part.kind === 'fixed') return `/${escaped(part.text)}`
      const group = `$${++groups}`
      query.push(
        ...(part.kind === 'one'
          ? [`${part.name}=${group}`]
          : [`...${part.name}=${group}`, `${part.name}=${group}`]),
      )
      return part.kind === 'one' ? '/([^/]+)' : part.kind === 'rest' ? '/(.+?)' : '(?:/(.+?))?'
    })
    .join('')
  return {
    src: `^${src}${isIndex ? '(?:/index)?' : ''}/?$`,
    dest: `/${path}?${query.join('&')}`,
    check: true,
  }
}

/** Nothing below `api` is a page: what no function takes is not found, whatever else catches all paths. */
export const API_NOT_FOUND: Route = { src: '^/api(/.*)?$', status: 404 }
