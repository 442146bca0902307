import { deleteEnvironment } from '#contract/api/custom-environment.ts'
import { defineCommand, flag, required } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'

export const command = defineCommand({
  doing: 'delete the environment',
  about: 'Its deployments stay available at their own URLs. Detach or move its domains first.',
  arguments: { environment: required('name or id of the environment') },
  options: {
    variables: flag('also delete the variables that are set nowhere else'),
    ...projectOption,
  },
  examples: [['environments rm qa --variables --yes', 'with its variables, without confirmation']],
  hints: { not_found: 'See them with `aloft environments ls`.' },
  async run(cli, { environment, variables, project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    await cli.prompt.confirm(`Delete the environment ${plainText(environment)}?`)
    const deleted = await api.call(deleteEnvironment, {
      params: { idOrName, environmentSlugOrId: environment },
      body: { deleteUnassignedEnvironmentVariables: variables },
    })
    cli.out.show(deleted, () => `Deleted the environment ${plainText(deleted.slug)}.`)
  },
})
