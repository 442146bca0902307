import { isRecord } from '../../is-record.ts'
import { type HeaderRule, readHeaderRule } from '../match/header-rule.ts'
import { type Pattern, type PatternOptions, readPattern } from '../pattern/pattern.ts'
import { HANDLES, type HandleRoute, type SourceRoute, UNSUPPORTED_HANDLES } from '../route.ts'
import type { Rule } from '../route-table.ts'
import { type Destination, readDestination } from '../url/destination.ts'
import type { GroupNames } from '../url/template.ts'

export type ReadRoute =
  | { readonly kind: 'handle'; readonly route: HandleRoute }
  | { readonly kind: 'source'; readonly route: SourceRoute; readonly rule: Rule }

/** Notes what is wrong with a field, or with the route as a whole if `field` is null. */
export type Report = (field: string | null, message: string) => void

export type Entry = Readonly<Record<string, unknown>>

const SOURCE_KEYS = ['src', 'dest', 'headers', 'methods', 'status', 'continue', 'check']

/** The names that rewrites, redirects and headers have for the same fields. */
const ALIASES: readonly (readonly [string, string])[] = [
  ['source', 'src'],
  ['destination', 'dest'],
  ['statusCode', 'status'],
]

const MAX_HEADERS = 100
const MAX_METHODS = 32
const METHOD = /^[A-Z][A-Z-]{0,31}$/

/** The route in its normal form and ready for matching. What it returns counts only if nothing was reported. */
export function readRoute(value: unknown, report: Report): ReadRoute | undefined {
  if (!isRecord(value)) {
    report(null, 'must be an object that has src or handle')
    return undefined
  }
  const entry: Entry = { ...value }
  return 'handle' in entry ? readHandle(entry, report) : readSource(withoutAliases(entry, report), report)
}

function readHandle(entry: Entry, report: Report): ReadRoute | undefined {
  reportUnknownKeys(entry, ['handle'], report)
  const handle = HANDLES.find((known) => known === entry.handle)
  if (handle !== undefined) return { kind: 'handle', route: { handle } }
  const given = quote(entry.handle)
  const isKnown = UNSUPPORTED_HANDLES.some((known) => known === entry.handle)
  report('handle', `${isKnown ? `${given} is not supported` : `${given} is unknown`}; use "filesystem"`)
  return undefined
}

export function withoutAliases(entry: Entry, report: Report): Entry {
  const renamed: Record<string, unknown> = { ...entry }
  for (const [alias, name] of ALIASES) {
    if (!(alias in renamed)) continue
    if (name in renamed) report(alias, `means the same as ${name}; use only one of them`)
    renamed[name] = renamed[alias]
    delete renamed[alias]
  }
  return renamed
}

function readSource(entry: Entry, report: Report): ReadRoute | undefined {
  reportUnknownKeys(entry, SOURCE_KEYS, report)
  const pattern = readSrc(entry.src, report)
  const names: GroupNames = pattern?.names ?? new Map()
  const destination = readDest(entry.dest, names, report)
  const headers = readHeaders(entry.headers, names, report)
  const methods = readMethods(entry.methods, report)
  const status = readStatus(entry.status, report)
  const continues = readFlag('continue', entry, report)
  const checks = readFlag('check', entry, report)
  if (continues && destination?.isExternal)
    report('continue', 'cannot be used with a dest on another host, since later routes match paths')
  if (pattern === undefined) return undefined
  return {
    kind: 'source',
    rule: { pattern, destination, headers, methods, status, continues, checks },
    // Every field was checked above; a route with a field of another kind is reported and not used.
    route: pick(entry, SOURCE_KEYS) as unknown as SourceRoute,
  }
}

export function readSrc(src: unknown, report: Report, options?: PatternOptions): Pattern | undefined {
  if (typeof src !== 'string') {
    report('src', src === undefined ? 'is missing' : 'must be a string')
    return undefined
  }
  const read = readPattern(src, options)
  if (read.ok) return read.pattern
  report('src', `${quote(src)} cannot be used: ${read.reason}`)
  return undefined
}

export function readDest(dest: unknown, names: GroupNames, report: Report): Destination | undefined {
  if (dest === undefined) return undefined
  if (typeof dest !== 'string') {
    report('dest', 'must be a string')
    return undefined
  }
  const read = readDestination(dest, names)
  if (read.ok) return read.destination
  report('dest', `${quote(dest)} cannot be used: ${read.reason}`)
  return undefined
}

export function readHeaders(headers: unknown, names: GroupNames, report: Report): readonly HeaderRule[] {
  if (headers === undefined) return []
  if (!isRecord(headers)) {
    report('headers', 'must be an object of strings')
    return []
  }
  const entries = Object.entries(headers)
  if (entries.length > MAX_HEADERS) {
    report('headers', `has ${entries.length} entries; at most ${MAX_HEADERS} are allowed`)
    return []
  }
  return entries.flatMap(([name, value]) => {
    const read = readHeaderRule(name, value, names)
    if (read.ok) return [read.header]
    report('headers', `${quote(name)} cannot be used: ${read.reason}`)
    return []
  })
}

export function readMethods(methods: unknown, report: Report): readonly string[] | undefined {
  if (methods === undefined) return undefined
  if (!Array.isArray(methods) || methods.length === 0 || methods.length > MAX_METHODS) {
    report('methods', `must be a list of 1 to ${MAX_METHODS} method names`)
    return undefined
  }
  return methods.filter((method): method is string => {
    const isMethod = typeof method === 'string' && METHOD.test(method)
    if (!isMethod) report('methods', `${quote(method)} is not a method name in upper case, such as "GET"`)
    return isMethod
  })
}

export function readStatus(status: unknown, report: Report): number | undefined {
  if (status === undefined) return undefined
  if (typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 999) return status
  report('status', 'must be a whole number from 200 to 999 (1xx does not end a response)')
  return undefined
}

export function readFlag(name: string, entry: Entry, report: Report): boolean {
  const value = entry[name]
  if (typeof value !== 'boolean' && value !== undefined) report(name, 'must be true or false')
  return value === true
}

function reportUnknownKeys(entry: Entry, known: readonly string[], report: Report): void {
  for (const key of Object.keys(entry))
    if (!known.includes(key)) report(null, `has the unknown key ${quote(key)}; known are ${known.join(', ')}`)
}

export const pick = (entry: Entry, keys: readonly string[]): Entry =>
  Object.fromEntries(keys.filter((key) => entry[key] !== undefined).map((key) => [key, entry[key]]))

const MAX_QUOTED = 100

export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
}
