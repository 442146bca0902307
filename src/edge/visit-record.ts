import type { Site, SiteVisit } from '#core/site/site.ts'

/** What a request says of itself, by whichever way it came. */
type VisitRequest = Pick<SiteVisit, 'id' | 'at' | 'method' | 'path' | 'protocol' | 'ip' | 'userAgent'>

/** How it ended. */
export type VisitEnd = Pick<
  SiteVisit,
  'status' | 'ms' | 'bytes' | 'source' | 'entrypoint' | 'coldStart' | 'reason'
>

/** A visit as it is recorded. Written out, because it is made for every request and always of the same shape. */
export const visitRecord = (site: Site, request: VisitRequest, end: VisitEnd): SiteVisit => ({
  id: request.id,
  at: request.at,
  deploymentId: site.deploymentId,
  ownerId: site.ownerId,
  projectId: site.projectId,
  environment: site.environment,
  host: site.host,
  method: request.method,
  path: request.path,
  protocol: request.protocol,
  status: end.status,
  ms: end.ms,
  bytes: end.bytes,
  ip: request.ip,
  userAgent: request.userAgent,
  source: end.source,
  entrypoint: end.entrypoint,
  coldStart: end.coldStart,
  reason: end.reason,
})
