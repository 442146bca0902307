import type { LogEntry, LoggedRequest } from '../log/log-entry.ts'
import type { DrainEnvironment, DrainSource } from './drain.ts'

/** What is known of the deployment that an entry is about. */
export interface LoggedDeployment {
  readonly ownerId: string
  readonly projectId: string
  readonly host: string
  readonly environment: DrainEnvironment
}

/** One entry as receivers get it. */
export interface DrainItem {
  /** The same whenever the entry is sent again. */
  readonly id: string
  readonly deploymentId: string
  readonly projectId: string
  readonly source: DrainSource
  readonly host: string
  readonly timestamp: number
  readonly level: 'info' | 'warning' | 'error'
  readonly message?: string
  readonly buildId?: string
  readonly entrypoint?: string
  readonly type: 'stdout' | 'stderr'
  readonly path?: string
  readonly statusCode?: number
  readonly requestId?: string
  readonly environment: DrainEnvironment
  readonly proxy?: DrainProxy
}

interface DrainProxy {
  readonly timestamp: number
  readonly method: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly path: string
  readonly userAgent: readonly string[]
  readonly clientIp: string
  readonly region: string
  readonly statusCode: number
}

/** How visitors of an installation come in, where the log does not say. */
export type Scheme = DrainProxy['scheme']

/** A visit is two entries in the log and one item, made of the second, which knows how it ended. */
export const isItem = ({ type }: Pick<LogEntry, 'type'>): boolean => type !== 'request'

export function toItem(entry: LogEntry, deployment: LoggedDeployment, scheme: Scheme): DrainItem {
  const { info, request, requestId, stream } = entry
  const statusCode = request?.status
  return {
    id: entry.id,
    deploymentId: entry.deploymentId,
    projectId: deployment.projectId,
    source: sourceOf(entry),
    host: request?.host ?? deployment.host,
    timestamp: entry.at,
    level: stream === 'stderr' ? 'error' : levelOf(statusCode),
    message: entry.text,
    ...(info.type === 'build' ? { buildId: info.name } : {}),
    ...(info.entrypoint === '' ? {} : { entrypoint: info.entrypoint }),
    type: stream ?? 'stdout',
    ...(request ? { path: request.uri } : {}),
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(requestId === undefined ? {} : { requestId }),
    environment: deployment.environment,
    ...(request && statusCode !== undefined
      ? { proxy: proxyOf(entry, { ...request, status: statusCode }, scheme) }
      : {}),
  }
}

const proxyOf = (
  { at, region }: LogEntry,
  request: LoggedRequest & { readonly status: number },
  scheme: Scheme,
): DrainProxy => ({
  timestamp: at,
  method: request.method,
  scheme: request.protocol.startsWith('HTTP/2') ? 'https' : scheme,
  host: request.host,
  path: request.uri,
  userAgent: [request.userAgent],
  clientIp: request.remoteAddr,
  region,
  statusCode: request.status,
})

const ANSWERED_BY = {
  proxy: 'external',
  redirect: 'edge',
  error: 'edge',
} as const satisfies Record<NonNullable<LoggedRequest['answeredBy']>, DrainSource>

export function sourceOf({ info, request }: Pick<LogEntry, 'info' | 'request'>): DrainSource {
  if (request?.answeredBy !== undefined) return ANSWERED_BY[request.answeredBy]
  return info.type === 'instance' ? 'lambda' : info.type
}

function levelOf(status: number | undefined): DrainItem['level'] {
  if (status === undefined || status < 400) return 'info'
  return status < 500 ? 'warning' : 'error'
}
