import { readUsage } from '#contract/api/usage.ts'
import { accountApi } from '../account.ts'
import { defineCommand } from '../command.ts'
import { renderUsage } from './show-usage.ts'

export const command = defineCommand({
  doing: 'read the usage of the account',
  about: 'Requests that exceed a quota are refused with the code quota_exceeded.',
  examples: [
    ['usage', 'your personal account'],
    ['usage --team acme', 'a team'],
    ['usage --json', 'as JSON'],
  ],
  async run(cli) {
    const { out } = cli
    const usage = await (await accountApi(cli)).call(readUsage)
    if (!out.json) out.say(`Plan: ${usage.plan}`)
    out.show(usage, () => renderUsage(usage, out.colors))
  },
})
