import type { Cron, CronRun } from './cron.ts'

type CronChange = Partial<
  Pick<
    Cron,
    'path' | 'schedule' | 'timeZone' | 'enabled' | 'overlap' | 'makeUp' | 'failures' | 'nextAt' | 'updatedAt'
  >
>

export type RunChange = Partial<Pick<CronRun, 'state' | 'endedAt' | 'status' | 'requestId' | 'message'>>

/** Schedules of projects and what became of their runs. Both are gone with the project. */
export interface CronStore {
  /** Oldest first. */
  ofProject(projectId: string): Promise<readonly Cron[]>
  /** Until the transaction ends, nobody else changes it. */
  lock(id: string): Promise<Cron | undefined>
  insert(cron: Cron): Promise<void>
  update(id: string, change: CronChange): Promise<boolean>
  remove(id: string): Promise<boolean>

  /** Forgets the oldest runs of the schedule beyond those that are kept. */
  insertRun(run: CronRun): Promise<void>
  updateRun(id: string, change: RunChange): Promise<boolean>
  run(id: string): Promise<CronRun | undefined>
  /** Whether one of its runs is going on. */
  isRunning(cronId: string): Promise<boolean>
  /** The latest first; `until`: only those that fell due before. */
  runs(
    cronId: string,
    page: { readonly limit: number; readonly until?: number | undefined },
  ): Promise<readonly CronRun[]>
  /** The latest run of each schedule of a project. */
  lastRuns(projectId: string): Promise<ReadonlyMap<string, CronRun>>
}
