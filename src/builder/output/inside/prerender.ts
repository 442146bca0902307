import { extname, posix } from 'node:path'
import type { IndexPrerender } from './job.ts'
import type { Packing } from './packing.ts'
import { locate, show, statOf } from './place.ts'
import { countOf, jsonOf, readJson, textOf, textsOf } from './read-json.ts'

/** The path of a function mostly has no extension to tell it by. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.rsc': 'text/x-component',
}
const MAX_SECONDS = 10 * 365 * 86_400

/** A `*.prerender-config.json`, with the answer from the build beside it. */
export function readPrerender(packing: Packing, root: string, file: string): IndexPrerender {
  const { place } = packing
  const config = readJson(locate(place, root, file) ?? `${root}/${file}`, file)
  const allowQuery = Array.isArray(config.allowQuery)
    ? config.allowQuery.filter((name): name is string => typeof name === 'string')
    : undefined
  return {
    expiration: config.expiration === false ? false : (countOf(config.expiration, 1, MAX_SECONDS) ?? 1),
    ...known('group', countOf(config.group, 0, Number.MAX_SAFE_INTEGER)),
    ...known('bypassToken', textOf(config.bypassToken)),
    ...known('fallback', packFallback(packing, root, file, config.fallback)),
    ...known('initialStatus', countOf(config.initialStatus, 100, 999)),
    ...known('initialHeaders', config.initialHeaders ? textsOf(config.initialHeaders) : undefined),
    ...known('allowQuery', allowQuery),
    ...known('chain', readChain(config.chain)),
    passQuery: config.passQuery === true,
  }
}

/** Which function goes on where the prerendered part ends. */
function readChain(value: unknown): IndexPrerender['chain'] {
  const path = textOf(jsonOf(value).outputPath)
  return path === undefined ? undefined : { path, headers: textsOf(jsonOf(value).headers) }
}

/** Written as the name of a file beside the configuration, or as an object that has it. */
function packFallback(
  { place, results }: Packing,
  root: string,
  config: string,
  fallback: unknown,
): IndexPrerender['fallback'] {
  const name = textOf(fallback) ?? textOf(jsonOf(fallback).fsPath)
  if (name === undefined) return undefined
  const source = locate(place, root, posix.join(posix.dirname(config), name))
  const stats = source === undefined ? undefined : statOf(source)
  if (source === undefined || !stats?.isFile()) {
    results.note(`The fallback ${show(name)} of ${show(config)} is missing and was skipped`)
    return undefined
  }
  const content = results.addFile({ kind: 'file', source, size: stats.size, executable: false })
  return { content, ...known('contentType', textOf(jsonOf(fallback).contentType) ?? TYPES[extname(name)]) }
}

function known<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Record<Name, Value> | Record<never, never> {
  return value === undefined ? {} : { [name]: value }
}
