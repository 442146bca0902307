import { changeProtectionBypass } from '#contract/api/project.ts'
import { defineCommand, flag, optional, required } from '../../command.ts'
import { usageError } from '../../exit.ts'
import { chooseProject } from '../choose-project.ts'
import { beginningOf, findBypass } from './secret.ts'

const SHORTEST = 4

const readBeginning = (text: string): string => {
  if (!new RegExp(`^[0-9A-Za-z]{${SHORTEST},32}$`).test(text))
    throw usageError(`Pass at least the first ${SHORTEST} characters of the secret.`)
  return text
}

export const command = defineCommand({
  doing: 'revoke the secret',
  about: 'Requests that use it are blocked immediately.',
  arguments: {
    secret: required('its first characters, as `aloft projects bypass ls` shows them', readBeginning),
    project: optional('project id or name; defaults to the linked project'),
  },
  options: { renew: flag('create a replacement and print it') },
  examples: [
    ['projects bypass rm x7Kd2f shop', 'ask for confirmation, then revoke'],
    ['projects bypass rm x7Kd2f shop --renew --yes', 'print its replacement'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, given) {
    const { out } = cli
    const { api, idOrName } = await chooseProject(cli, given.project)
    const secret = await findBypass(api, idOrName, given.secret)
    const shown = `${beginningOf(secret)}…`
    await cli.prompt.confirm(`Revoke the secret ${shown}? Requests that use it are blocked immediately.`)
    const before = await api.call(changeProtectionBypass, {
      params: { idOrName },
      body: { revoke: { secret, regenerate: given.renew } },
    })
    const [made] = given.renew
      ? Object.entries(before.protectionBypass)
          .sort(([, a], [, b]) => b.createdAt - a.createdAt)
          .map(([name]) => name)
      : []
    if (made === undefined)
      return out.show({ revoked: beginningOf(secret) }, () => `Revoked the secret ${shown}.`)
    if (!out.json) out.say(`Revoked the secret ${shown}. Its replacement:`)
    out.show({ revoked: beginningOf(secret), secret: made }, () => made)
  },
})
