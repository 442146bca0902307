import { type EventsQuery, LOG_TYPES, type LogType } from '#contract/api/log.ts'
import { invalidRequest } from '#contract/errors.ts'
import type { StatusRange } from '#core/log/log-store.ts'
import type { LogRequest } from '#core/log/read/deployment-logs.ts'
import { firstSerialOf } from '#core/log/serial.ts'

interface ReadLog {
  readonly request: LogRequest
  readonly follow: boolean
  /** One JSON value a line. */
  readonly lines: boolean
}

/** What clients ask for by these names. Some know more types than there are: errors are written as `stdout`. */
const TYPES: ReadonlyMap<string, LogType | undefined> = new Map([
  ...LOG_TYPES.map((type) => [type, type] as const),
  ['stderr', 'stdout'],
  ['exit', undefined],
])

const TIME = /^\d{1,13}$/
const SERIAL = /^\d{19}$/

/** The serial of this text, or else what its time stands for. */
function readBound(name: string, text: string, serialOf: (ms: number) => bigint): string {
  if (TIME.test(text)) return String(serialOf(Number(text)))
  if (SERIAL.test(text) && BigInt(text) < 2n ** 63n) return text
  throw invalidRequest(`\`${name}\` should be a time in milliseconds or the serial of an entry`)
}

// Times are inclusive: of the entries of one millisecond a client may have seen only some.
export const readSince = (text: string): string => readBound('since', text, (ms) => firstSerialOf(ms) - 1n)
export const readUntil = (text: string): string => readBound('until', text, (ms) => firstSerialOf(ms + 1))

function readTypes(text: string): readonly LogType[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !TYPES.has(name))
  if (unknown !== undefined)
    throw invalidRequest(`\`types\` should be some of ${LOG_TYPES.join(', ')}, separated by commas`)
  return [...new Set(names.map((name) => TYPES.get(name)).filter((type) => type !== undefined))]
}

export function readStatus(text: string, name = 'statusCode'): StatusRange {
  const [, hundreds, rest] = /^([1-5])(\d\d|xx)$/i.exec(text) ?? []
  if (hundreds === undefined || rest === undefined)
    throw invalidRequest(`\`${name}\` should be a status such as \`404\` or a class such as \`4xx\``)
  const from = Number(hundreds) * 100
  return /\d/.test(rest) ? { from: from + Number(rest), to: from + Number(rest) } : { from, to: from + 99 }
}

/** A parameter that is empty counts as not given. */
export const read = <T>(text: string | undefined, parse: (text: string) => T): T | undefined =>
  text === undefined || text === '' ? undefined : parse(text)

export const asIs = (text: string): string => text

export function readLogQuery(query: EventsQuery): ReadLog {
  const { direction = 'forward', limit = -1, builds, follow = false, format } = query
  const request: LogRequest = {
    direction,
    limit: limit < 0 ? undefined : limit,
    after: read(query.since, readSince),
    before: read(query.until, readUntil),
    types: read(query.types, readTypes),
    text: read(query.q, asIs),
    name: read(query.name, asIs),
    builds,
    status: read(query.statusCode, (text) => readStatus(text)),
    instanceId: read(query.instanceId, asIs),
  }
  if (follow && direction === 'backward')
    throw invalidRequest('`direction` cannot be `backward` together with `follow`')
  if (follow && request.before !== undefined)
    throw invalidRequest('`until` cannot be given together with `follow`')
  return { request, follow, lines: format === 'lines' }
}
