import { hash } from 'node:crypto'
import { type Installation, reaches } from '../installation/installation.ts'
import type { LogEntry } from '../log/log-entry.ts'
import type { Drain } from './drain.ts'
import { isItem, type LoggedDeployment, sourceOf } from './drain-item.ts'

/** Whether an entry is sent to a drain. */
export function isForDrain(
  drain: Drain,
  installation: Installation | undefined,
  entry: LogEntry,
  { ownerId, projectId, environment }: LoggedDeployment,
): boolean {
  const { projectIds, sources, environments, samplingRate } = drain
  return (
    ownerId === drain.ownerId &&
    isItem(entry) &&
    (projectIds === null || projectIds.includes(projectId)) &&
    (installation === undefined || reaches(installation, projectId)) &&
    (environments === null || environments.includes(environment)) &&
    (sources === null || sources.includes(sourceOf(entry))) &&
    isSampled(samplingRate, entry)
  )
}

const RANGE = 2 ** 32

/** Chance decides, but alike for all lines of one request, and for all lines of one build. */
export function isSampled(rate: number, { id, requestId, info }: LogEntry): boolean {
  if (rate >= 1) return true
  const together = requestId ?? (info.type === 'build' ? info.name : id)
  return Number.parseInt(hash('sha1', together).slice(0, 8), 16) / RANGE < rate
}
