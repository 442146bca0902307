import type { SiteVisit } from '../site/site.ts'

/** A visit that found nothing, unless said. */
export const sampleVisit = (given: Partial<SiteVisit> = {}): SiteVisit => ({
  id: 'req_1',
  at: 1_700_000_000_000,
  deploymentId: 'dpl_a',
  ownerId: 'owner',
  projectId: 'prj_1',
  environment: 'production',
  host: 'a.aloft.test',
  method: 'GET',
  path: '/docs?page=2',
  protocol: 'HTTP/1.1',
  status: 404,
  ms: 12.6,
  bytes: 345,
  ip: '192.0.2.1',
  userAgent: 'curl/8',
  source: 'error',
  entrypoint: '404.html',
  ...given,
})
