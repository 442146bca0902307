import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { createCron, deleteCron, listCronRuns, listCrons, runCron, updateCron } from '#contract/api/cron.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const NEXT = Date.UTC(2030, 0, 2, 5)
const CRON = {
  ...{ id: 'cron_1', projectId: 'prj_1', source: 'api', path: '/api/clean', schedule: '0 5 * * *' },
  ...{ timeZone: 'UTC', enabled: true, overlap: 'skip', makeUp: false, failures: 0, nextAt: NEXT },
  ...{ createdAt: 1, updatedAt: 1 },
}
const RUN = {
  ...{ id: 'run_1', trigger: 'schedule', state: 'skipped', dueAt: 1, startedAt: null, endedAt: 1 },
  ...{ durationMs: null, status: null, deploymentId: null, requestId: null },
  message: 'The previous run was still in progress.',
}
const DONE = { ...RUN, id: 'run_2', state: 'succeeded', status: 200, durationMs: 12, message: null }

const machine = await startMachine(
  answers(listCrons, () => ({
    crons: [
      { ...CRON, lastRun: DONE },
      { ...CRON, id: 'cron_2', source: 'config', enabled: false, nextAt: null },
    ],
  })),
  answers(createCron, ({ body }) => ({ ...CRON, ...body })),
  answers(updateCron, ({ body }) => ({ ...CRON, ...body })),
  answers(deleteCron, () => undefined),
  answers(runCron, () => ({ id: 'run_3' })),
  answers(listCronRuns, () => ({ runs: [RUN, DONE] })),
)
after(() => machine[Symbol.asyncDispose]())
const run = (...line: string[]) =>
  machine.run(['crons', ...line, '--project', 'shop'], { ALOFT_TOKEN: TOKEN })
const last = () => machine.api.requests.at(-1)

test('schedules are listed with where they are from, when they run next and how the last run went', async () => {
  const { code, stdout } = await run('ls')
  assert.equal(code, 0)
  assert.match(
    stdout,
    /cron_1 +\/api\/clean +0 5 \* \* \* +UTC +added +2030-01-02T05:00Z +succeeded, 200, 12 ms/,
  )
  assert.match(stdout, /cron_2 .* deployment +paused/)
})

test('one is added with all that can be said of it, and its id alone goes to a script', async () => {
  const options = ['--time-zone', 'Europe/Paris', '--overlap', 'allow', '--make-up', 'on']
  const { code, stdout, stderr } = await run('add', '/api/clean', '0 5 * * *', ...options)
  assert.deepEqual([code, stdout], [0, 'cron_1\n'])
  assert.match(stderr, /\/api\/clean runs next at 2030-01-02T05:00:00\.000Z/)
  assert.deepEqual(last()?.body, {
    ...{
      path: '/api/clean',
      schedule: '0 5 * * *',
      timeZone: 'Europe/Paris',
      overlap: 'allow',
      makeUp: true,
    },
  })
  assert.equal((await run('add', '/api/clean', '0 5 * * *', '--overlap', 'queue')).code, 2)
})

test('it is changed, paused, resumed, run now and removed', async () => {
  for (const [line, body, said] of [
    [['set', 'cron_1', '--overlap', 'allow'], { overlap: 'allow' }, /^Changed the schedule of \/api\/clean/],
    [['pause', 'cron_1'], { enabled: false }, /^Paused/],
    [['resume', 'cron_1'], { enabled: true }, /./],
    [['run', 'cron_1'], undefined, /^run_3$/m],
    [['rm', 'cron_1', '--yes'], undefined, /^Removed the schedule cron_1/],
  ] as const) {
    const { code, stdout, stderr } = await run(...line)
    assert.equal(code, 0, stderr)
    assert.match(stdout, said)
    if (body !== undefined) assert.deepEqual(last()?.body, body)
  }
  assert.equal((await run('set', 'cron_1')).code, 2)
})

test('runs are told with what became of them and why', async () => {
  const { stdout } = await run('runs', 'cron_1')
  assert.match(stdout, /skipped +The previous run was still in progress\./)
  assert.match(stdout, /succeeded, 200, 12 ms/)
})
