import { changePlanQuotas } from '#contract/api/usage.ts'
import { PLANS } from '#contract/limit/limits.ts'
import { defineCommand, oneOf, oneOrMore, required } from '../../command.ts'
import { operatorHints } from '../hints.ts'
import { showPlans } from './ls.ts'
import { QUOTA_ARGUMENT, readQuotas } from './read-quotas.ts'

export const command = defineCommand({
  doing: 'change the quotas',
  teamless: true,
  about:
    'Takes effect immediately for all accounts on the plan. Accounts above the limit keep what they have but cannot use more.',
  arguments: { plan: required(PLANS.join(', '), oneOf(PLANS)), quotas: oneOrMore(QUOTA_ARGUMENT) },
  examples: [
    ['operator quotas set free contentBytes=2GB buildMinutes=100', 'set two quotas'],
    ['operator quotas set pro deployments=none', 'remove the limit'],
    ['operator quotas set pro deployments=default', 'restore the default'],
  ],
  hints: operatorHints,
  async run(cli, { plan, quotas }) {
    showPlans(cli.out, await cli.api().call(changePlanQuotas, { params: { plan }, body: readQuotas(quotas) }))
  },
})
