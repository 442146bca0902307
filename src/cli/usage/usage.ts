import { readUsage } from '#contract/api/usage.ts'
import { accountApi } from '../account.ts'
import { defineCommand } from '../command.ts'
import { renderUsage } from './show-usage.ts'

export const command = defineCommand({
  doing: 'read what the account uses',
  about: 'What is beyond an allowance is refused with the code quota_exceeded, which says how much there is.',
  team: true,
  examples: [
    ['usage', 'your own account'],
    ['usage --team acme', 'a team'],
    ['usage --json', 'as JSON'],
  ],
  async run(cli) {
    const { out } = cli
    const usage = await (await accountApi(cli)).call(readUsage)
    if (!out.json) out.say(`The plan is ${usage.plan}.`)
    out.show(usage, () => renderUsage(usage, out.colors))
  },
})
