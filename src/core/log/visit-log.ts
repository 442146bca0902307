import type { VisitLog } from '../site/site.ts'
import type { LogWriter } from './log-writer.ts'

interface VisitLogParts {
  readonly writer: Pick<LogWriter, 'recordVisit'>
  readonly region: string
  /** Counts visits. */
  readonly traffic?: VisitLog
}

export const createVisitLog = ({ writer, region, traffic }: VisitLogParts): VisitLog => ({
  record(visit) {
    traffic?.record(visit)
    writer.recordVisit(visit, region)
  },
})
