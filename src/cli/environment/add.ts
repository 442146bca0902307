import { createEnvironment } from '#contract/api/custom-environment.ts'
import { given as changes, defineCommand, required, value } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { BRANCH_RULE, readBranchRule } from './branch-rule.ts'

export const command = defineCommand({
  doing: 'add the environment',
  about:
    'An environment has its own variables, domains and URL. Deploy to it with `aloft deploy --target <name>`, or by pushing a matching branch.',
  arguments: { name: required('name: lowercase letters, digits and -') },
  options: {
    branch: value('branch', `deploy pushes to it here: ${BRANCH_RULE}`, readBranchRule),
    description: value('text', 'what it is for'),
    copyFrom: value('environment', 'copy the variables of this environment'),
    ...projectOption,
  },
  examples: [
    ['environments add staging', 'deploy to it with --target staging'],
    ['environments add qa --branch "release/*" --copy-from preview', 'deploy matching branches to it'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { name, branch, description, copyFrom, project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const created = await api.call(createEnvironment, {
      params: { idOrName },
      body: {
        slug: name,
        ...changes({ branchMatcher: branch, description, copyEnvVarsFrom: copyFrom }),
      },
    })
    cli.out.show(
      created,
      () =>
        `Added ${plainText(created.slug)}. Deploy to it: aloft deploy --target ${plainText(created.slug)}`,
    )
  },
})
