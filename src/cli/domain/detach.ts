import { removeProjectDomain } from '#contract/api/project-domain.ts'
import { defineCommand, optional, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'detach the domain',
  about: 'The domain itself stays in the account.',
  arguments: {
    domain: required('the domain'),
    project: optional('project id or name; defaults to the linked project'),
  },
  examples: [
    ['domains detach www.example.com shop', 'ask for confirmation, then detach'],
    ['domains detach www.example.com shop --yes', 'without confirmation'],
  ],
  hints: { not_found: 'List the domains of a project with `aloft projects domains <project>`.' },
  async run(cli, { domain, project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const [name, from] = [plainText(domain), plainText(idOrName)]
    await cli.prompt.confirm(`Detach ${name} from ${from}? It stops serving immediately.`)
    await api.call(removeProjectDomain, { params: { idOrName, domain } })
    cli.out.show({ domain, project: idOrName }, () => `Detached ${name} from ${from}.`)
  },
})
