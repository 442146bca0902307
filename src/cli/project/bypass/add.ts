import { changeProtectionBypass, getProject } from '#contract/api/project.ts'
import { defineCommand, optional } from '../../command.ts'
import { CliError, EXIT } from '../../exit.ts'
import { plainText } from '../../output/plain-text.ts'
import { chooseProject } from '../choose-project.ts'

export const command = defineCommand({
  doing: 'create the secret',
  about:
    'Prints the secret. Requests that send it in the x-platform-protection-bypass header bypass the protection of the project.',
  arguments: { project: optional('project id or name; defaults to the linked project') },
  examples: [
    ['projects bypass add shop', 'create a secret and print it'],
    ['projects bypass add shop --json', 'as JSON'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { project }) {
    const { out } = cli
    const { api, idOrName } = await chooseProject(cli, project)
    const before = await api.call(getProject, { params: { idOrName } })
    const { protectionBypass } = await api.call(changeProtectionBypass, {
      params: { idOrName: before.id },
      body: { generate: {} },
    })
    const made = Object.keys(protectionBypass).find((secret) => !(secret in (before.protectionBypass ?? {})))
    if (made === undefined) throw new CliError(EXIT.failure, 'No secret was created.')
    if (!out.json) out.say(`Created an automation bypass secret for ${plainText(before.name)}:`)
    out.show({ projectId: before.id, secret: made, ...protectionBypass[made] }, () => made)
  },
})
