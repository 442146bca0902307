import { changePlanQuotas } from '#contract/api/usage.ts'
import { PLANS } from '#contract/limits.ts'
import { defineCommand, oneOf, oneOrMore, required } from '../command.ts'
import { operatorHints } from './hints.ts'
import { showPlans } from './quotas-ls.ts'
import { QUOTA_ARGUMENT, readQuotas } from './read-quotas.ts'

export const command = defineCommand({
  doing: 'change the quotas',
  about: 'For all accounts on a plan, at once. What an account uses beyond it stays, and it gets no more.',
  arguments: { plan: required(PLANS.join(', '), oneOf(PLANS)), quotas: oneOrMore(QUOTA_ARGUMENT) },
  examples: [
    ['operator quotas set free contentBytes=2GB buildMinutes=100', 'less than it was'],
    ['operator quotas set pro deployments=none', 'no limit'],
    ['operator quotas set pro deployments=default', 'as it comes with Aloft'],
  ],
  hints: operatorHints,
  async run(cli, { plan, quotas }) {
    showPlans(cli.out, await cli.api().call(changePlanQuotas, { params: { plan }, body: readQuotas(quotas) }))
  },
})
