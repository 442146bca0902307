import type { TrafficTarget } from '#contract/api/analytics.ts'
import type { LogSource } from '#contract/api/log.ts'
import type { Clock } from '../ports/clock.ts'
import type { LogWriter } from './log-writer.ts'

interface InstanceLogParts {
  readonly writer: Pick<LogWriter, 'record'>
  readonly clock: Clock
  readonly region: string
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
  /** What the deployment is for. */
  readonly environment?: TrafficTarget
  /** Set if it is an error, or was written as one. */
  readonly stream?: 'stderr'
}

/** The output of running programs. Never makes a program or a request wait. */
export interface InstanceLog {
  write(line: InstanceLine): void
}

export const createInstanceLog = ({ writer, clock, region }: InstanceLogParts): InstanceLog => ({
  write: ({ deploymentId, instanceId, source, entrypoint, text, at, ...rest }) =>
    writer.record({
      deploymentId,
      type: 'stdout',
      at: at ?? clock.now(),
      text,
      info: { type: source, name: instanceId, entrypoint },
      region,
      instanceId,
      ...rest,
    }),
})
