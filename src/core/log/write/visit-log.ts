import type { Clock } from '../../ports/clock.ts'
import type { VisitLog } from '../../site/site.ts'
import type { LogAllowance } from '../../usage/log-allowance.ts'
import type { LogWriter } from './log-writer.ts'

interface VisitLogParts {
  readonly writer: Pick<LogWriter, 'record' | 'recordVisit'>
  readonly clock: Clock
  readonly region: string
  /** Counts visits. */
  readonly traffic?: VisitLog
  /** Absent, everything is recorded. */
  readonly allowance?: Pick<LogAllowance, 'take'>
}

/** What is recorded with a visit besides its texts. */
const VISIT_BYTES = 200

export const createVisitLog = ({ writer, clock, region, traffic, allowance }: VisitLogParts): VisitLog => ({
  record(visit) {
    // Counted even if nothing else is recorded of it.
    traffic?.record(visit)
    const bytes = VISIT_BYTES + visit.path.length + visit.userAgent.length
    // It may have begun days ago, as of a WebSocket.
    const taken = allowance?.take(visit.ownerId, bytes, visit.at + visit.ms) ?? true
    if (taken === true) writer.recordVisit(visit, region)
    else if (taken !== false)
      writer.record({
        ...{ deploymentId: visit.deploymentId, projectId: visit.projectId, region },
        ...{ type: 'stdout', at: clock.now(), text: taken },
        info: { type: 'static', name: visit.host, entrypoint: '' },
      })
  },
})
