import { getVerifyCode } from '#contract/api/drain.ts'
import { accountApi } from '../account.ts'
import { defineCommand } from '../command.ts'

export const command = defineCommand({
  doing: 'get the code',
  about:
    'An endpoint must return this code in the x-platform-verify header before it receives log entries of the account.',
  examples: [['drains verify-code', 'before `aloft drains add`']],
  async run(cli) {
    const answer = await (await accountApi(cli)).call(getVerifyCode)
    cli.out.show(answer, () => answer.code)
  },
})
