import { acceptProject } from '#contract/api/project-transfer.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required, value } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'accept the project',
  about: 'Moves a project transferred with `aloft projects transfer` into your account or team.',
  arguments: { code: required('code of the transfer') },
  options: { name: value('name', 'new name, if the current one is taken') },
  examples: [
    ['projects accept 4kTbb1xPBoTqRCUtqdXUkFvG', 'into your personal account'],
    ['projects accept 4kTbb1xPBoTqRCUtqdXUkFvG --team acme --name shop-2', 'into a team, with a new name'],
  ],
  hints: {
    conflict: 'Choose another name with --name.',
    not_found: 'A code is valid for 24 hours and can be used once. Ask for a new one.',
  },
  async run(cli, { code, name }) {
    const api = await accountApi(cli)
    const taken = await api.call(acceptProject, {
      params: { code },
      body: name === undefined ? {} : { newProjectName: name },
    })
    cli.out.show(taken, () => `Accepted the project ${plainText(taken.name)}.`)
  },
})
