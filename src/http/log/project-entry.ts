import type {
  LogLevel,
  ProjectLogEntry,
  ProjectLogLine,
  ProjectLogRequest,
  ProjectLogSource,
} from '#contract/api/project-log.ts'
import type { LogEntry, LoggedRequest } from '#core/log/log-entry.ts'

const SOURCES = {
  build: 'static',
  static: 'static',
  lambda: 'function',
  instance: 'server',
} as const satisfies Record<LogEntry['info']['type'], ProjectLogSource>

const levelOf = (status: number): LogLevel => (status < 400 ? 'info' : status < 500 ? 'warning' : 'error')

/** An entry as people read it: a visit is one, made of its answer, which knows all of it. */
export const projectEntry = (entry: LogEntry): ProjectLogEntry =>
  entry.request === undefined ? lineOf(entry) : requestOf(entry, entry.request)

const commonOf = ({ id, serial, deploymentId, info, region, text }: LogEntry) => ({
  ...{ id, serial, deploymentId, region, text },
  source: SOURCES[info.type],
  entrypoint: info.entrypoint,
})

const lineOf = (entry: LogEntry): ProjectLogLine => ({
  ...commonOf(entry),
  type: entry.stream ?? 'stdout',
  level: entry.stream === 'stderr' ? 'error' : 'info',
  at: entry.at,
  ...(entry.requestId === undefined ? {} : { requestId: entry.requestId }),
  ...(entry.instanceId === undefined ? {} : { instanceId: entry.instanceId }),
})

function requestOf(entry: LogEntry, request: LoggedRequest): ProjectLogRequest {
  const { status = 0, bodyBytesSent = 0, answeredBy, ms = msIn(entry.text) } = request
  const common = commonOf(entry)
  return {
    ...common,
    source: answeredBy ?? common.source,
    type: 'request',
    level: levelOf(status),
    at: entry.at - ms,
    requestId: entry.requestId ?? '',
    ...{ ms, status, bytes: bodyBytesSent },
    method: request.method,
    host: request.host,
    path: request.uri,
    userAgent: request.userAgent,
    ip: request.remoteAddr,
    coldStart: request.coldStart === true,
  }
}

/** Entries of before have it in their text alone. */
const msIn = (text: string): number => Number(/ (\d+)ms$/.exec(text)?.[1] ?? 0)
