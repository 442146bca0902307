import { isRecord } from '../../is-record.ts'
import { type Condition, patternsOf, readCondition } from '../match/condition.ts'
import { readLocale } from '../match/locale.ts'
import { readTransform, type TransformRule } from '../match/transform.ts'
import type { Pattern } from '../pattern/pattern.ts'
import { type HandleRoute, OUTPUT_HANDLES, type SourceRoute } from '../route.ts'
import type { OutputRule } from '../route-table.ts'
import { type GroupNames, WHOLE } from '../url/template.ts'
import {
  type Entry,
  pick,
  quote,
  type Report,
  readDest,
  readFlag,
  readHeaders,
  readMethods,
  readSrc,
  readStatus,
  withoutAliases,
} from './read-route.ts'

export type ReadOutputRoute =
  | { readonly kind: 'handle'; readonly route: HandleRoute }
  | { readonly kind: 'source'; readonly route: SourceRoute; readonly rule: OutputRule }

/** What is kept of a route. Other fields do nothing here and are left out. */
const KEYS = [
  'src',
  'dest',
  'headers',
  'methods',
  'status',
  'continue',
  'check',
  'caseSensitive',
  'has',
  'missing',
  'middlewarePath',
  'locale',
  'mitigate',
  'transforms',
  'important',
]

const MAX_CONDITIONS = 16
const MAX_TRANSFORMS = 100
const MAX_MIDDLEWARE_LENGTH = 1024

/** A template has single digits for the groups of `src`; what else can be referred to comes after them. */
const NUMBERED_GROUPS = 9

/** Like `readRoute`, for a route of a build output. */
export function readOutputRoute(value: unknown, report: Report): ReadOutputRoute | undefined {
  if (!isRecord(value)) {
    report(null, 'must be an object that has src or handle')
    return undefined
  }
  const entry: Entry = { ...value }
  if (entry.handle !== undefined) return readHandle(entry.handle, report)
  return readSource(withoutAliases(entry, report), report)
}

function readHandle(given: unknown, report: Report): ReadOutputRoute | undefined {
  const handle = OUTPUT_HANDLES.find((known) => known === given)
  if (handle !== undefined) return { kind: 'handle', route: { handle } }
  report('handle', `${quote(given)} is unknown; use one of ${OUTPUT_HANDLES.join(', ')}`)
  return undefined
}

function readSource(entry: Entry, report: Report): ReadOutputRoute | undefined {
  const isCaseSensitive = readFlag('caseSensitive', entry, report)
  const pattern = readSrc(entry.src, report, { takesLookAround: true, isCaseSensitive })
  const has = readConditions('has', entry, report)
  const missing = readConditions('missing', entry, report)
  const { names, refersBeyond } = namesOf(pattern, has, entry)
  const destination = readDest(entry.dest, names, report)
  const headers = readHeaders(entry.headers, names, report)
  const methods = readMethods(entry.methods, report)
  const status = readStatus(entry.status, report) ?? mitigationStatus(entry.mitigate)
  const continues = readFlag('continue', entry, report)
  const checks = readFlag('check', entry, report)
  const isImportant = readFlag('important', entry, report)
  const middlewarePath = readMiddleware(entry, report)
  const locale = readLocale(entry.locale)
  if (typeof locale === 'string') report('locale', locale)
  const transforms = readTransforms(entry.transforms, names, report)
  if (pattern === undefined || typeof locale === 'string') return undefined
  return {
    kind: 'source',
    rule: {
      pattern,
      destination,
      headers,
      methods,
      status,
      continues,
      checks,
      has,
      missing,
      refersBeyond,
      middlewarePath,
      locale,
      transforms,
      isImportant,
    },
    // Every field was checked above; a route with a field of another kind is reported and not used.
    route: pick(entry, KEYS) as unknown as SourceRoute,
  }
}

/** The groups of `src`, the whole match as `$0`, and the named groups of the conditions. */
function namesOf(
  pattern: Pattern | undefined,
  has: readonly Condition[],
  { dest, headers, transforms }: Entry,
): { readonly names: GroupNames; readonly refersBeyond: boolean } {
  const names = new Map<string, number>()
  let next = Math.max(NUMBERED_GROUPS, pattern?.groupCount ?? 0) + 1
  names.set(WHOLE, next++)
  for (const { value } of has) {
    if (value === undefined || !('pattern' in value)) continue
    for (const [name, group] of value.pattern.names) names.set(name, next + group - 1)
    next += value.pattern.groupCount
  }
  const hasNames = names.size > 1
  for (const [name, group] of pattern?.names ?? []) names.set(name, group)
  const refersToWhole = JSON.stringify([dest, headers, transforms]).includes('$0')
  return { names, refersBeyond: hasNames || refersToWhole }
}

function readConditions(field: 'has' | 'missing', entry: Entry, report: Report): readonly Condition[] {
  const given = entry[field]
  if (given === undefined) return []
  if (!Array.isArray(given) || given.length > MAX_CONDITIONS) {
    report(field, `must be a list of at most ${MAX_CONDITIONS} conditions`)
    return []
  }
  return given.flatMap((value) => {
    const read = readCondition(value)
    if (read.ok) return [read.condition]
    report(field, `${quote(value)} cannot be used: ${read.reason}`)
    return []
  })
}

function readMiddleware(entry: Entry, report: Report): string | undefined {
  const { middlewarePath: path } = entry
  if (path === undefined) {
    // To pass over it would open what it guards.
    if (entry.middleware !== undefined) report('middleware', 'is not supported; use middlewarePath')
    return undefined
  }
  if (typeof path === 'string' && path !== '' && path.length <= MAX_MIDDLEWARE_LENGTH)
    return path.startsWith('/') ? path : `/${path}`
  report('middlewarePath', `must be a path of at most ${MAX_MIDDLEWARE_LENGTH} characters`)
  return undefined
}

const mitigationStatus = (mitigate: unknown): number | undefined =>
  typeof mitigate === 'object' && mitigate !== null && 'action' in mitigate && mitigate.action === 'deny'
    ? 403
    : undefined

function readTransforms(given: unknown, names: GroupNames, report: Report): readonly TransformRule[] {
  if (given === undefined) return []
  if (!Array.isArray(given) || given.length > MAX_TRANSFORMS) {
    report('transforms', `must be a list of at most ${MAX_TRANSFORMS} changes`)
    return []
  }
  return given.flatMap((value) => {
    const read = readTransform(value, names)
    if (read.ok) return read.transform ?? []
    report('transforms', `${quote(value)} cannot be used: ${read.reason}`)
    return []
  })
}

/** All patterns of a rule, for what their regexes cost, with the fields that they are in. */
export const patternsOfRule = ({
  pattern,
  has,
  missing,
}: OutputRule): readonly (readonly [string, Pattern])[] => [
  ['src', pattern],
  ...has.flatMap(patternsOf).map((each) => ['has', each] as const),
  ...missing.flatMap(patternsOf).map((each) => ['missing', each] as const),
]
