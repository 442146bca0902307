import type { Static } from 'typebox'
import { listPlanQuotas } from '#contract/api/usage.ts'
import { showAmount } from '#contract/limit/quota-amount.ts'
import { QUOTA_NAMES, QUOTAS } from '#contract/limit/quotas.ts'
import { defineCommand } from '../../command.ts'
import type { Output } from '../../output/output.ts'
import { renderTable } from '../../output/table.ts'
import { operatorHints } from '../hints.ts'

type Plans = Static<typeof listPlanQuotas.reply>

export const showPlans = (out: Output, answer: Plans): void =>
  out.show(answer, () =>
    renderTable(
      ['QUOTA', ...answer.plans.map(({ plan }) => plan.toUpperCase()), 'WHAT'],
      QUOTA_NAMES.map((name) => [
        name,
        ...answer.plans.map(({ limits, changed }) => {
          const limit = limits[name]
          return `${limit === null ? 'none' : showAmount(name, limit)}${changed.includes(name) ? ' *' : ''}`
        }),
        `${QUOTAS[name].title}${'per' in QUOTAS[name] ? `, a ${QUOTAS[name].per}` : ''}`,
      ]),
      out.colors,
    ),
  )

export const command = defineCommand({
  doing: 'list the quotas',
  teamless: true,
  about: 'Values marked with * were set by an operator.',
  examples: [['operator quotas ls', 'list the quotas of all plans']],
  hints: operatorHints,
  run: async (cli) => showPlans(cli.out, await cli.api().call(listPlanQuotas)),
})
