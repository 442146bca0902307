/**
 * What counting a visit adds to noting it in the log: both without the store, in turn, as a ratio of CPU time.
 *
 *   node bench/micro/visit-counting.ts
 */
import { TrafficRecorder } from '#core/analytics/traffic-recorder.ts'
import { createVisitLog } from '#core/log/write/visit-log.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import type { SiteVisit } from '#core/site/site.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { median } from '../measure/median.ts'
import { amount } from '../measure/trial.ts'

const VISITS = amount(200_000, 1000)
const traffic = new TrafficRecorder({ store: { add: async () => {} }, clock: systemClock, log: silentLog })
let kept: unknown[] = []
const writer = {
  record() {},
  recordVisit(draft: unknown) {
    kept.push(draft)
    if (kept.length >= 1000) kept = []
  },
}
const subjects = {
  before: createVisitLog({ writer, clock: systemClock, region: 'iad1' }),
  after: createVisitLog({ writer, clock: systemClock, region: 'iad1', traffic }),
}
const visit: Omit<SiteVisit, 'path'> = {
  ...{ id: 'x', at: Date.now(), ms: 0, status: 200, bytes: 1024, method: 'GET', environment: 'production' },
  ...{ deploymentId: 'dpl_a', projectId: 'prj_a', ownerId: 'o', host: 'a.test', protocol: 'HTTP/1.1' },
  ...{ ip: '127.0.0.1', userAgent: 'wrk', source: 'static', entrypoint: '/f0' },
}

const nanos: Record<keyof typeof subjects, number[]> = { before: [], after: [] }
for (let round = 0; round < 12; round++)
  for (const name of ['before', 'after'] as const) {
    const start = process.cpuUsage()
    for (let i = 0; i < VISITS; i++) subjects[name].record({ ...visit, path: `/page/${i % 40}?v=${i}` })
    const { user, system } = process.cpuUsage(start)
    if (round > 2) nanos[name].push(((user + system) * 1000) / VISITS)
  }
const [before, after] = [median(nanos.before), median(nanos.after)]
console.log(`a visit: ${Math.round(before)} ns noted, ${Math.round(after)} ns noted and counted`)
