import { iso } from '#contract/time.ts'
import type { DrainFormat } from './drain.ts'
import type { DrainItem } from './drain-item.ts'

export const CONTENT_TYPE = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  syslog: 'text/plain; charset=utf-8',
} as const satisfies Record<DrainFormat, string>

/** The body of a request that carries these items, each given as `formatItem` made it. */
export const joinItems = (format: DrainFormat, items: readonly string[]): string =>
  format === 'json' ? `[${items.join(',')}]` : items.map((item) => `${item}\n`).join('')

export const formatItem = (format: DrainFormat, item: DrainItem): string =>
  format === 'syslog' ? syslogLine(item) : JSON.stringify(item)

/** The syslog facility local0, and the severity of each level. */
const FACILITY = 16 * 8
const SEVERITY = { error: 3, warning: 4, info: 6 } as const satisfies Record<DrainItem['level'], number>

/** The number that is set aside for examples: nobody else's parameters can be meant. */
const STRUCTURE = 'aloft@32473'

/** A message of RFC 5424, on one line whatever was written. */
function syslogLine(item: DrainItem): string {
  const { level, timestamp, host, source, requestId, message = '' } = item
  const head = [
    `<${FACILITY + SEVERITY[level]}>1`,
    iso(timestamp),
    word(host, 255),
    word(source, 48),
    word(requestId ?? item.buildId, 128),
    word(item.type, 32),
  ].join(' ')
  return `${head} ${structure(item)} ${flat(message)}`
}

/** What a header field can hold: printable ASCII without spaces. */
const word = (text: string | undefined, length: number): string =>
  (text ?? '').replace(/[^\x21-\x7e]/g, '').slice(0, length) || '-'

function structure(item: DrainItem): string {
  const values = {
    id: item.id,
    deploymentId: item.deploymentId,
    projectId: item.projectId,
    environment: item.environment,
    entrypoint: item.entrypoint,
    path: item.path,
    statusCode: item.statusCode,
    method: item.proxy?.method,
    clientIp: item.proxy?.clientIp,
    userAgent: item.proxy?.userAgent[0],
    region: item.proxy?.region,
  }
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}="${flat(String(value)).replace(/["\\\]]/g, '\\$&')}"`)
  return `[${[STRUCTURE, ...pairs].join(' ')}]`
}

/** Nothing that a text holds may begin another line, or move the cursor of whoever reads it. */
const flat = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant
  text.replace(/[\x00-\x1f\x7f\u0085\u2028\u2029]/g, (character) =>
    character === '\t' ? ' ' : `#${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
