import type { LogSource } from '#contract/api/log.ts'
import type { SiteVisit, VisitLog } from '../site/site.ts'
import type { LogDraft, LoggedRequest } from './log-entry.ts'
import type { LogWriter } from './log-writer.ts'

interface VisitLogParts {
  readonly writer: Pick<LogWriter, 'record'>
  readonly region: string
  /** Counts visits. */
  readonly traffic?: VisitLog
}

const SOURCE = {
  static: 'static',
  function: 'lambda',
  server: 'instance',
  proxy: 'static',
  redirect: 'static',
  error: 'static',
} as const satisfies Record<SiteVisit['source'], LogSource>

const peculiarities = ({
  source,
  coldStart,
}: SiteVisit): Pick<LoggedRequest, 'answeredBy' | 'coldStart'> => ({
  ...(source === 'proxy' || source === 'redirect' || source === 'error' ? { answeredBy: source } : {}),
  ...(coldStart === true ? { coldStart } : {}),
})

/** A visit is told of when it is over, so both of its entries come into the log then. */
export const createVisitLog = ({ writer, region, traffic }: VisitLogParts): VisitLog => ({
  record(visit) {
    traffic?.record(visit)
    const { deploymentId, at, method, path, status } = visit
    const ms = Math.max(0, Math.round(visit.ms))
    const line = `${method} ${path}`
    const request: LoggedRequest = {
      method,
      uri: path,
      protocol: visit.protocol,
      remoteAddr: visit.ip,
      userAgent: visit.userAgent,
      host: visit.host,
    }
    const draft: Omit<LogDraft, 'type' | 'at' | 'text' | 'request'> = {
      deploymentId,
      info: { type: SOURCE[visit.source], name: visit.host, entrypoint: visit.entrypoint },
      region,
      requestId: visit.id,
    }
    writer.record({ ...draft, type: 'request', at, text: line, request })
    writer.record({
      ...draft,
      type: 'response',
      at: at + ms,
      text: `${line} ${status} ${ms}ms${visit.reason === undefined ? '' : ` ${visit.reason}`}`,
      request: { ...request, status, bodyBytesSent: visit.bytes, ms, ...peculiarities(visit) },
      projectId: visit.projectId,
      environment: visit.environment,
    })
  },
})
