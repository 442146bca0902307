import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cron, CronRun, Overlap } from './cron.ts'
import { type CronJobParts, type CronJobStores, createCronJob } from './run-job.ts'

const NOW = Date.UTC(2026, 0, 1)

/** One schedule whose runs are kept in memory; each call waits until the test answers it. */
function scheduleOf(overlap: Overlap) {
  const runs = new Map<string, CronRun>()
  const answers: (() => void)[] = []
  let called = () => {}
  const cron = {
    id: 'cron_1',
    projectId: 'prj_1',
    path: '/task',
    overlap,
    makeUp: false,
    failures: 0,
  } as Cron
  const stores = {
    crons: {
      lock: async () => cron,
      run: async (id: string) => runs.get(id),
      isRunning: async () => [...runs.values()].some(({ state }) => state === 'running'),
      insertRun: async (run: CronRun) => void runs.set(run.id, run),
      updateRun: async (id: string, change: Partial<CronRun>) => {
        runs.set(id, { ...(runs.get(id) as CronRun), ...change })
        return true
      },
    },
    users: { byId: async () => ({ softBlocked: false }) },
    projects: {
      byIdOrName: async () => ({ details: { paused: false } }),
      deploymentsOf: async () => new Map([['prj_1', { production: { id: 'dpl_1', host: 'site.test' } }]]),
    },
  } as unknown as CronJobStores
  const job = createCronJob({
    transact: (act: (stores: CronJobStores) => unknown) => act(stores),
    deployments: { sealedEnv: async () => undefined },
    clock: { now: () => NOW },
    call: () =>
      new Promise((resolve) => {
        answers.push(() => resolve({ status: 200, requestId: null }))
        called()
      }),
  } as unknown as CronJobParts)
  const run = (runId: string) =>
    job.run({ cronId: cron.id, runId, trigger: 'manual', dueAt: NOW }, {
      signal: new AbortController().signal,
    } as Parameters<typeof job.run>[1])
  return {
    run,
    /** Resolves when the deployment was called for it. */
    begin: (runId: string) =>
      new Promise<Promise<void>[]>((resolve) => {
        called = () => resolve([over])
        const over = run(runId)
      }),
    answerAll: () => {
      for (const answer of answers.splice(0)) answer()
    },
    states: () => [...runs.values()].map(({ state, message }) => [state, message]),
  }
}

test('a run that falls due while the one before is going on is skipped, and the one after it runs', async () => {
  const schedule = scheduleOf('skip')
  const [first] = await schedule.begin('one')
  await schedule.run('two')
  assert.deepEqual(schedule.states(), [
    ['running', null],
    ['skipped', 'The previous run was still in progress.'],
  ])
  schedule.answerAll()
  await first
  const [third] = await schedule.begin('three')
  schedule.answerAll()
  await third
  assert.deepEqual(
    schedule.states().map(([state]) => state),
    ['succeeded', 'skipped', 'succeeded'],
  )
})

test('where runs may overlap, both go on at once', async () => {
  const schedule = scheduleOf('allow')
  const [first] = await schedule.begin('one')
  const [second] = await schedule.begin('two')
  assert.deepEqual(
    schedule.states().map(([state]) => state),
    ['running', 'running'],
  )
  schedule.answerAll()
  await Promise.all([first, second])
  assert.deepEqual(
    schedule.states().map(([state]) => state),
    ['succeeded', 'succeeded'],
  )
})
