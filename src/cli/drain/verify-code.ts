import { getVerifyCode } from '#contract/api/drain.ts'
import { accountApi } from '../account.ts'
import { defineCommand } from '../command.ts'

export const command = defineCommand({
  doing: 'get the code',
  about:
    'What an address has to answer with, in the header x-platform-verify, before log entries of the account are sent to it.',
  team: true,
  examples: [['drains verify-code', 'before `aloft drains add`']],
  async run(cli) {
    const answer = await (await accountApi(cli)).call(getVerifyCode)
    cli.out.show(answer, () => answer.code)
  },
})
