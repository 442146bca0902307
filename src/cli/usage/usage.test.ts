import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import {
  changeAccountQuotas,
  changePlanQuotas,
  listPlanQuotas,
  readAccountUsage,
  readUsage,
} from '#contract/api/usage.ts'
import { PLANS } from '#contract/limit/limits.ts'
import { PLAN_QUOTAS } from '#contract/limit/quotas.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const usage = {
  plan: 'pro' as const,
  quotas: [
    {
      name: 'contentBytes' as const,
      title: 'Storage',
      unit: 'bytes' as const,
      used: 25e9,
      limit: 100e9,
      parts: [
        { name: 'files' as const, title: 'Files', used: 22e9 },
        { name: 'repositories' as const, title: 'Git repositories', used: 3e9 },
      ],
    },
    { name: 'deployments' as const, title: 'Deployments', unit: 'count' as const, used: 12, limit: null },
    {
      ...{
        name: 'buildMinutes' as const,
        title: 'Build time',
        unit: 'minutes' as const,
        per: 'month' as const,
      },
      ...{ used: 600, limit: 600, reset: 1 },
    },
  ],
}
const plans = { plans: PLANS.map((plan) => ({ plan, limits: PLAN_QUOTAS[plan], changed: [] })) }

test('usage shows what is used, what is allowed and how near that is', async () => {
  await using machine = await startMachine(answers(readUsage, () => usage))
  const { stdout } = await machine.run(['usage'], env)
  assert.match(stdout, /^Storage +25 GB +100 GB +█████░{15} 25%$/m)
  assert.match(stdout, /^ {2}Files +22 GB$/m)
  assert.match(stdout, /^ {2}Git repositories +3 GB$/m)
  assert.match(stdout, /^Deployments +12 +no limit$/m)
  assert.match(stdout, /^Build time +600 min +600 min a month +█{20} 100%$/m)
  const json = await machine.run(['usage', '--json'], env)
  assert.deepEqual(JSON.parse(json.stdout), usage)
})

test('an operator sees and sets the quotas of plans and of accounts', async () => {
  await using machine = await startMachine(
    answers(listPlanQuotas, () => plans),
    answers(changePlanQuotas, () => plans),
    answers(readAccountUsage, () => ({ ...usage, changed: [] })),
    answers(changeAccountQuotas, () => ({ ...usage, changed: ['contentBytes' as const] })),
  )
  const operator = (...words: string[]) => machine.run(['operator', ...words], env)
  assert.match((await operator('quotas', 'ls')).stdout, /^contentBytes +5 GB +5 GB +100 GB +none +Storage$/m)
  assert.equal((await operator('quotas', 'set', 'free', 'contentBytes=2GB', 'BuildMinutes=none')).code, 0)
  assert.deepEqual(machine.api.requests.at(-1)?.body, { contentBytes: 2e9, buildMinutes: null })
  assert.match((await operator('accounts', 'quotas', 'jo')).stdout, /25%/)
  const changed = await operator('accounts', 'quotas', 'jo', 'contentBytes=default')
  assert.match(changed.stderr, /Overridden for this account: contentBytes/)
  assert.deepEqual(machine.api.requests.at(-1)?.body, { contentBytes: 'default' })
  for (const wrong of ['gold=1', 'deployments=many', 'deployments'])
    assert.equal((await operator('quotas', 'set', 'free', wrong)).code, 2)
})
