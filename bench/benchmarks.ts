import type { Row } from './report/row.ts'

export interface Benchmark {
  readonly ids: readonly string[]
  readonly tools: readonly string[]
  readonly load: () => Promise<{ run(only?: readonly string[]): Promise<Row[]> }>
}

/** Every benchmark that has a target, in the order of their numbers. */
export const BENCHMARKS: readonly Benchmark[] = [
  {
    ids: ['P1', 'P2', 'P3'],
    tools: ['nginx', 'caddy', 'wrk', 'h2load'],
    load: () => import('./site/static.ts'),
  },
  {
    ids: ['P4'],
    tools: ['nginx', 'caddy', 'wrk', 'h2load', 'bubblewrap'],
    load: () => import('./site/function-proxy.ts'),
  },
  { ids: ['P5'], tools: ['bubblewrap'], load: () => import('./site/cold-start.ts') },
  { ids: ['P6'], tools: ['wrk', 'h2load'], load: () => import('./api/api-read.ts') },
  { ids: ['P7'], tools: [], load: () => import('./deploy/upload.ts') },
  { ids: ['P7'], tools: [], load: () => import('./deploy/deploy-many.ts') },
  { ids: ['P8'], tools: [], load: () => import('./deploy/create-many.ts') },
  { ids: ['P9'], tools: ['bind', 'dnsperf'], load: () => import('./dns/dns.ts') },
  { ids: ['P10'], tools: ['wrk'], load: () => import('./site/alias-switch.ts') },
  { ids: ['P11'], tools: [], load: () => import('./deploy/create-live.ts') },
  { ids: ['P12'], tools: [], load: () => import('./start/idle-memory.ts') },
  { ids: ['P12'], tools: ['h2load', 'bubblewrap'], load: () => import('./growth/memory-growth.ts') },
  { ids: ['P13'], tools: ['bubblewrap'], load: () => import('./neighbours/neighbours.ts') },
  { ids: ['P14'], tools: ['postgresql'], load: () => import('./api/many-rows.ts') },
  { ids: ['P15'], tools: [], load: () => import('./start/cli-start.ts') },
  { ids: ['P16'], tools: [], load: () => import('./start/start.ts') },
  { ids: ['P17'], tools: ['wrk'], load: () => import('./site/visit-log.ts') },
  { ids: ['P18'], tools: [], load: () => import('./growth/idle-hosts.ts') },
  { ids: ['P19'], tools: ['bubblewrap'], load: () => import('./site/images.ts') },
  { ids: ['P20'], tools: ['wrk', 'bubblewrap'], load: () => import('./site/kept-answers.ts') },
  { ids: ['P21'], tools: [], load: () => import('./api/many-schedules.ts') },
  { ids: ['P22'], tools: [], load: () => import('./deploy/git-push.ts') },
  { ids: ['P23'], tools: ['moto'], load: () => import('./deploy/content-reads.ts') },
  { ids: ['P24'], tools: ['wrk'], load: () => import('./site/serving-processes.ts') },
  { ids: ['P25'], tools: [], load: () => import('./growth/file-cost.ts') },
]
