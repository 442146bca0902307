import type { LogType } from '#contract/api/log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LogWriter } from './log-writer.ts'

interface BuildLogParts {
  readonly writer: Pick<LogWriter, 'save'>
  readonly clock: Clock
  readonly region: string
}

interface LoggedBuild {
  readonly deploymentId: string
  readonly buildId: string
  readonly entrypoint: string
}

/**
 * The output of one build, a line at a time. Each verb resolves once its line is stored: wait for all of
 * them before the build counts as over, and for the oldest when many are under way, or output that is
 * faster than the store piles up in memory.
 */
export interface BuildLog {
  /** A command that the build runs. */
  command(line: string): Promise<void>
  /** Whatever a command writes, on either stream. */
  stdout(line: string): Promise<void>
}

export type LogOfBuild = (build: LoggedBuild) => BuildLog

export function createBuildLog({ writer, clock, region }: BuildLogParts, build: LoggedBuild): BuildLog {
  const { deploymentId, buildId, entrypoint } = build
  const save = (type: LogType, text: string): Promise<void> =>
    writer.save({
      deploymentId,
      type,
      at: clock.now(),
      text,
      info: { type: 'build', name: buildId, entrypoint },
      region,
    })
  return {
    command: (line) => save('command', line),
    stdout: (line) => save('stdout', line),
  }
}
