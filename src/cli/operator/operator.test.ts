import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { getAccount, listJobs, restart, runJob, updateAccount } from '#contract/api/operator.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const account = {
  id: 'u1',
  kind: 'user' as const,
  slug: 'jo',
  email: 'jo@example.com',
  plan: 'pro' as const,
  softBlocked: false,
}
const get = answers(getAccount, ({ params }) => {
  if (params.idOrEmailOrSlug !== 'jo@example.com')
    throw new AloftError('not_found', 'There is no account `x`.')
  return account
})

test('an account is looked up by its address, and an unknown one exits with 4', async () => {
  await using machine = await startMachine(get)
  const { stdout } = await machine.run(['operator', 'accounts', 'get', 'jo@example.com'], env)
  assert.match(stdout, /^plan +pro$/m)
  assert.match(stdout, /^status +active$/m)
  const json = await machine.run(['operator', 'accounts', 'get', 'jo@example.com', '--json'], env)
  assert.deepEqual(JSON.parse(json.stdout), account)
  assert.equal((await machine.run(['operator', 'accounts', 'get', 'x'], env)).code, 4)
})

test('set changes only what is named', async () => {
  await using machine = await startMachine(answers(updateAccount, ({ body }) => ({ ...account, ...body })))
  const set = (...options: string[]) => machine.run(['operator', 'accounts', 'set', 'jo', ...options], env)
  assert.match((await set('--plan', 'Enterprise')).stdout, /^plan +enterprise$/m)
  assert.match((await set('--block')).stdout, /^status +blocked/m)
  assert.match((await set('--unblock', '--plan', 'oss')).stdout, /^status +active$/m)
  assert.deepEqual(
    machine.api.requests.map(({ body }) => body),
    [{ plan: 'enterprise' }, { softBlocked: true }, { plan: 'oss', softBlocked: false }],
  )
})

test('set without a change, with both or with an unknown plan is wrong usage', async () => {
  await using machine = await startMachine()
  const set = (...options: string[]) => machine.run(['operator', 'accounts', 'set', 'jo', ...options], env)
  const outcomes = [await set(), await set('--block', '--unblock'), await set('--plan', 'gold')]
  assert.deepEqual(
    outcomes.map(({ code }) => code),
    [2, 2, 2],
  )
  assert.match(outcomes[2]?.stderr ?? '', /should be one of oss, free, pro, enterprise/)
  assert.deepEqual(machine.api.requests, [])
})

test('somebody who is no operator is told what it takes', async () => {
  await using machine = await startMachine(
    answers(listJobs, () => {
      throw new AloftError('forbidden', 'Only an operator of this installation can do this.')
    }),
  )
  const { code, stderr } = await machine.run(['operator', 'jobs', 'ls'], env)
  assert.equal(code, 3)
  assert.match(stderr, /hint: Use the token of an operator/)
})

test('jobs are listed with the queue, and one can be run', async () => {
  await using machine = await startMachine(
    answers(listJobs, () => ({
      jobs: [{ name: 'logins.clean-up', summary: 'Forget login requests' }],
      queue: { queued: 1, running: 2, failed: 3 },
    })),
    answers(runJob, ({ params }) => ({ name: params.name ?? '', jobId: 'job_1', state: 'queued' })),
  )
  const { stdout } = await machine.run(['operator', 'jobs', 'ls'], env)
  assert.match(stdout, /^logins\.clean-up +Forget login requests$/m)
  assert.match(stdout, /^queue: 1 waiting, 2 running, 3 failed$/m)
  const run = await machine.run(['operator', 'jobs', 'run', 'logins.clean-up'], env)
  assert.equal(run.stdout, 'logins.clean-up is queued as job_1.\n')
})

test('a restart says that new processes serve, or why nothing was restarted and what to do', async () => {
  let reason: string | undefined
  await using machine = await startMachine(
    answers(restart, () => {
      if (reason) throw new AloftError('conflict', reason)
      return { restarted: true }
    }),
  )
  assert.match((await machine.run(['operator', 'restart'], env)).stdout, /^Restarted\. The old processes/)
  reason = 'The server was not restarted and keeps running as before: port has changed.'
  const { code, stdout, stderr } = await machine.run(['operator', 'restart'], env)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /Could not restart the server[\s\S]*port has changed[\s\S]*hint: Fix the problem/)
})
