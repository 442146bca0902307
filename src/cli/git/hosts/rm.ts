import { deleteGitConnection, listGitConnections } from '#contract/api/git-connection.ts'
import { accountApi } from '../../account.ts'
import { defineCommand, required } from '../../command.ts'
import { plainText } from '../../output/plain-text.ts'
import { findConnection } from './find-connection.ts'

export const command = defineCommand({
  doing: 'remove the Git host',
  about: 'Deletes the stored token. Projects that deploy through it have to be disconnected first.',
  arguments: { id: required('id or host name, as `aloft git hosts ls` shows them') },
  examples: [
    ['git hosts rm github.com', 'ask for confirmation, then remove'],
    ['git hosts rm gcn_4kTbb1xPBoTqRCUtqdXUkFvG --yes', 'without confirmation'],
  ],
  hints: { not_found: 'See the connected hosts with `aloft git hosts ls`.' },
  async run(cli, { id }) {
    const api = await accountApi(cli)
    const found = findConnection((await api.call(listGitConnections)).connections, id)
    const words = `${new URL(found.url).host} (${plainText(found.login)})`
    await cli.prompt.confirm(`Remove the Git host ${words}?`)
    await api.call(deleteGitConnection, { params: { id: found.id } })
    cli.out.show(found, () => `Removed the Git host ${words}.`)
  },
})
