import { getProject } from '#contract/api/project.ts'
import { cancelOffer, offerProject } from '#contract/api/project-transfer.ts'
import { folderApi } from '../account.ts'
import { defineCommand, flag, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'

export const command = defineCommand({
  doing: 'transfer the project',
  about:
    'Prints a code. Anyone with the code can accept the project within 24 hours with `aloft projects accept <code>`. Until then it stays in your account.',
  // Never the linked one by itself: what is given away should be named.
  arguments: { project: required('id or name') },
  options: { cancel: flag('cancel the transfer') },
  examples: [
    ['projects transfer shop', 'ask for confirmation, then print the code'],
    ['projects transfer shop --cancel', 'cancel the transfer'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { project, cancel }) {
    const { out } = cli
    const api = await folderApi(cli)
    const { id, name } = await api.call(getProject, { params: { idOrName: project } })
    const shown = plainText(name)
    if (cancel) {
      await api.call(cancelOffer, { params: { idOrName: id } })
      return out.show({ id, name, offered: false }, () => `Cancelled the transfer of ${shown}.`)
    }
    await cli.prompt.confirm(
      `Transfer ${shown}? Anyone with the code can accept it, with all its deployments.`,
    )
    const { code } = await api.call(offerProject, { params: { idOrName: id } })
    if (!out.json)
      out.say(`${shown} can be accepted within 24 hours: aloft projects accept <code>. The code:`)
    out.show({ id, name, offered: true, code }, () => code)
  },
})
