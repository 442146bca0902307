import type { LogSource } from '#contract/api/log.ts'
import type { SiteVisit } from '../site/site.ts'
import { boundRequest, boundText, type LogDraft, type LoggedRequest } from './log-entry.ts'

/** What the log keeps of a visit. */
export type LoggedVisit = Omit<SiteVisit, 'ownerId'>

/** A visit that the log has taken and will write: one record that is read as two entries, request and response. */
export interface NewVisit {
  readonly visit: LoggedVisit
  readonly region: string
  /** When the log took it. */
  readonly takenAt: number
  /** The count in the id of the request; that of the response is the next one. */
  readonly count: number
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
}: LoggedVisit): Pick<LoggedRequest, 'answeredBy' | 'coldStart'> => ({
  ...(source === 'proxy' || source === 'redirect' || source === 'error' ? { answeredBy: source } : {}),
  ...(coldStart === true ? { coldStart } : {}),
})

/** A visit becomes known when it is over, so both of its entries come into the log then. */
export function entriesOfVisit(
  visit: LoggedVisit,
  region: string,
): { readonly request: LogDraft; readonly response: LogDraft } {
  const { deploymentId, at, method, path, status } = visit
  const ms = Math.max(0, Math.round(visit.ms))
  const line = `${method} ${path}`
  const request = boundRequest({
    method,
    uri: path,
    protocol: visit.protocol,
    remoteAddr: visit.ip,
    userAgent: visit.userAgent,
    host: visit.host,
  })
  const common: Omit<LogDraft, 'type' | 'at' | 'text' | 'request'> = {
    deploymentId,
    info: {
      type: SOURCE[visit.source],
      name: boundText(visit.host),
      entrypoint: boundText(visit.entrypoint),
    },
    region,
    requestId: visit.id,
  }
  return {
    request: { ...common, type: 'request', at, text: boundText(line), request },
    response: {
      ...common,
      type: 'response',
      at: at + ms,
      text: boundText(`${line} ${status} ${ms}ms${visit.reason === undefined ? '' : ` ${visit.reason}`}`),
      request: { ...request, status, bodyBytesSent: visit.bytes, ms, ...peculiarities(visit) },
      projectId: visit.projectId,
      environment: visit.environment,
    },
  }
}
