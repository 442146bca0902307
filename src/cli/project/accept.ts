import { acceptProject } from '#contract/api/project-transfer.ts'
import { accountApi } from '../account.ts'
import { defineCommand, required, value } from '../command.ts'
import { plainText } from '../plain-text.ts'

export const command = defineCommand({
  doing: 'take the project',
  about: 'Moves a project transferred with `aloft projects transfer` into your account or team.',
  team: true,
  arguments: { code: required('code of the transfer') },
  options: { name: value('name', 'new name, if the current one is taken') },
  examples: [
    ['projects accept 4kTbb1xPBoTqRCUtqdXUkFvG', 'into your own account'],
    ['projects accept 4kTbb1xPBoTqRCUtqdXUkFvG --team acme --name shop-2', 'into a team, by another name'],
  ],
  hints: {
    conflict: 'Choose another name with --name.',
    not_found: 'An offer is good for 24 hours and for one time: ask for another.',
  },
  async run(cli, { code, name }) {
    const { out } = cli
    const api = await accountApi(cli)
    const taken = await api.call(acceptProject, {
      params: { code },
      body: name === undefined ? {} : { newProjectName: name },
    })
    out.show(taken, () => `${plainText(taken.name)} is yours now.`)
  },
})
