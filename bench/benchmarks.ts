import type { Row } from './row.ts'

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
    load: () => import('./static.ts'),
  },
  {
    ids: ['P4'],
    tools: ['nginx', 'caddy', 'wrk', 'h2load', 'bubblewrap'],
    load: () => import('./function-proxy.ts'),
  },
  { ids: ['P5'], tools: ['bubblewrap'], load: () => import('./cold-start.ts') },
  { ids: ['P6'], tools: ['wrk', 'h2load'], load: () => import('./api-read.ts') },
  { ids: ['P7'], tools: [], load: () => import('./upload.ts') },
  { ids: ['P7'], tools: [], load: () => import('./deploy-many.ts') },
  { ids: ['P8'], tools: [], load: () => import('./create-many.ts') },
  { ids: ['P9'], tools: ['bind', 'dnsperf'], load: () => import('./dns.ts') },
  { ids: ['P10'], tools: ['wrk'], load: () => import('./alias-switch.ts') },
  { ids: ['P11'], tools: [], load: () => import('./create-live.ts') },
  { ids: ['P12'], tools: [], load: () => import('./idle-memory.ts') },
  { ids: ['P12'], tools: ['h2load', 'bubblewrap'], load: () => import('./growth/memory-growth.ts') },
  { ids: ['P13'], tools: ['bubblewrap'], load: () => import('./neighbours.ts') },
  { ids: ['P14'], tools: ['postgresql'], load: () => import('./many-rows.ts') },
  { ids: ['P15'], tools: [], load: () => import('./cli-start.ts') },
  { ids: ['P16'], tools: [], load: () => import('./start.ts') },
  { ids: ['P17'], tools: ['wrk'], load: () => import('./visit-log.ts') },
  { ids: ['P18'], tools: [], load: () => import('./growth/idle-hosts.ts') },
  { ids: ['P19'], tools: ['bubblewrap'], load: () => import('./images.ts') },
  { ids: ['P20'], tools: ['wrk', 'bubblewrap'], load: () => import('./kept-answers.ts') },
  { ids: ['P21'], tools: [], load: () => import('./many-schedules.ts') },
  { ids: ['P22'], tools: [], load: () => import('./git-push.ts') },
  { ids: ['P23'], tools: ['moto'], load: () => import('./content-reads.ts') },
  { ids: ['P24'], tools: ['wrk'], load: () => import('./serving-processes.ts') },
  { ids: ['P25'], tools: [], load: () => import('./growth/file-cost.ts') },
]
