import { type Readable, Transform } from 'node:stream'
import { readEvents } from '#contract/api/log.ts'
import { readProjectLogs } from '#contract/api/project-log.ts'
import type { RawReply } from '#contract/endpoint.ts'
import type { CompatRequest, CompatRow, PartialRequest } from './row.ts'

/** What clients leave open they send as an empty text, and what they send to others means nothing here. */
const readQuery = ({ query }: CompatRequest): PartialRequest => ({
  query: Object.fromEntries(Object.entries(query).filter(([key, value]) => value !== '' && KEYS.has(key))),
})
const KEYS = new Set([
  'direction',
  'limit',
  'since',
  'until',
  'types',
  'q',
  'name',
  'builds',
  'statusCode',
  'follow',
  'format',
])

interface Entry {
  readonly type: string
  readonly created: number
  readonly payload: Readonly<Record<string, unknown>>
}

/** Clients look for what an entry says in the entry itself, or below `payload`. */
const showEntry = ({ type, created, payload }: Entry): object => ({
  ...payload,
  type,
  created,
  payload,
  ...(type === 'request' || type === 'response' ? { object: visitIn(String(payload.text)) } : {}),
})

/** A visit is told as `GET /path`, and its end as `GET /path 200 3ms`. */
const visitIn = (text: string): object => {
  const [method, uri, status] = text.split(' ')
  return {
    method,
    uri,
    protocol: 'HTTP/1.1',
    ...(status === undefined ? {} : { status, statusCode: Number(status) }),
  }
}

const showLine = (line: string): string =>
  line === '' ? '' : JSON.stringify(showEntry(JSON.parse(line) as Entry))

function linesOf(showLine: (line: string) => string): Transform {
  let rest = ''
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = (rest + chunk.toString('utf8')).split('\n')
      rest = lines.pop() ?? ''
      done(null, lines.map((line) => `${showLine(line)}\n`).join(''))
    },
    flush(done) {
      done(null, showLine(rest))
    },
  })
}

function showEvents(reply: RawReply): RawReply {
  const { body } = reply
  if (typeof body === 'string')
    return { ...reply, body: JSON.stringify((JSON.parse(body) as Entry[]).map(showEntry)) }
  if (Buffer.isBuffer(body))
    return { ...reply, body: Buffer.from(body.toString('utf8').split('\n').map(showLine).join('\n')) }
  return throughLines(reply, showLine)
}

function throughLines(reply: RawReply, showLine: (line: string) => string): RawReply {
  const body = reply.body as Readable
  const shown = linesOf(showLine)
  // Whoever leaves ends what is read for them.
  shown.once('close', () => body.destroy())
  body.once('error', (error) => shown.destroy(error))
  return { ...reply, body: body.pipe(shown) }
}

interface ProjectEntry {
  readonly id: string
  readonly at: number
  readonly type: string
  readonly level: string
  readonly text: string
  readonly source: string
  readonly entrypoint: string
  readonly deploymentId: string
  readonly requestId?: string
  readonly method?: string
  readonly path?: string
  readonly host?: string
  readonly status?: number
}

const RUNTIME_SOURCES: Readonly<Record<string, string>> = { function: 'serverless', server: 'serverless' }

/** Visits and what was written during them, as later clients follow them. */
const showRuntimeLine = (line: string): string => {
  if (line.trim() === '') return ''
  const {
    id,
    at,
    level,
    text,
    source,
    status = 0,
    method = '',
    path = '',
    host = '',
    ...e
  } = JSON.parse(line) as ProjectEntry
  return JSON.stringify({
    rowId: id,
    timestampInMs: at,
    timestamp: at,
    level,
    message: text,
    messageTruncated: false,
    source: RUNTIME_SOURCES[source] ?? source,
    domain: host,
    requestMethod: method,
    requestPath: path,
    responseStatusCode: status,
    deploymentId: e.deploymentId,
    requestId: e.requestId,
  })
}

const runtimeLogs: CompatRow = {
  on: 'GET /v1/projects/:idOrName/deployments/:deploymentId/runtime-logs',
  is: readProjectLogs,
  read: ({ params }) => ({
    params: { idOrName: params.idOrName ?? '' },
    query: { deploymentId: params.deploymentId, follow: 'true', limit: '100' },
  }),
  show: (reply: RawReply) => throughLines(reply, showRuntimeLine),
  raw: true,
}

export const logRows: readonly CompatRow[] = [
  runtimeLogs,
  {
    on: 'GET /v{1,2,3}{,/now}/deployments/:id/events',
    is: readEvents,
    read: readQuery,
    show: showEvents,
    raw: true,
  },
]
