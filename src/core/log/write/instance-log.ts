import type { TrafficTarget } from '#contract/api/analytics.ts'
import type { LogSource } from '#contract/api/log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LogAllowance } from '../../usage/log-allowance.ts'
import type { LogWriter } from './log-writer.ts'

interface InstanceLogParts {
  readonly writer: Pick<LogWriter, 'record'>
  readonly clock: Clock
  readonly region: string
  /** Absent, everything is recorded. */
  readonly allowance?: Pick<LogAllowance, 'take'>
}

/** A line that a program wrote, or that tells what became of it. */
export interface InstanceLine {
  readonly deploymentId: string
  readonly instanceId: string
  /** `lambda` for functions, `instance` for a program that is a server of its own. */
  readonly source: Extract<LogSource, 'lambda' | 'instance'>
  /** The path of the function. */
  readonly entrypoint: string
  readonly text: string
  /** When it was written; now unless said. */
  readonly at?: number
  /** The request in which it was written, where that is known. */
  readonly requestId?: string
  readonly projectId?: string
  readonly ownerId?: string
  /** What the deployment is for. */
  readonly environment?: TrafficTarget
  /** Set if it is an error, or was written as one. */
  readonly stream?: 'stderr'
}

/** The output of running programs. Never makes a program or a request wait. */
export interface InstanceLog {
  write(line: InstanceLine): void
}

/** What is recorded with a line. */
const LINE_BYTES = 100

export const createInstanceLog = ({ writer, clock, region, allowance }: InstanceLogParts): InstanceLog => ({
  write: ({ deploymentId, instanceId, source, entrypoint, text, at, ownerId, ...rest }) => {
    const taken = ownerId === undefined || (allowance?.take(ownerId, LINE_BYTES + text.length) ?? true)
    if (taken === false) return
    writer.record({
      deploymentId,
      type: 'stdout',
      at: at ?? clock.now(),
      text: taken === true ? text : taken,
      info: { type: source, name: instanceId, entrypoint },
      region,
      instanceId,
      ...rest,
    })
  },
})
