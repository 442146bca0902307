import { updateEnvironment } from '#contract/api/custom-environment.ts'
import { given as changes, defineCommand, flag, required, value } from '../command.ts'
import { usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { BRANCH_RULE, readBranchRule } from './branch-rule.ts'

export const command = defineCommand({
  doing: 'change the environment',
  arguments: { environment: required('name or id of the environment') },
  options: {
    name: value('name', 'new name'),
    branch: value('branch', `deploy pushes to it here: ${BRANCH_RULE}`, readBranchRule),
    noBranch: flag('stop deploying pushes here'),
    description: value('text', 'what it is for'),
    ...projectOption,
  },
  examples: [
    ['environments set staging --branch develop', 'change the branch'],
    ['environments set staging --name uat', 'new name'],
  ],
  hints: { not_found: 'See them with `aloft environments ls`.' },
  async run(cli, { environment, name, branch, noBranch, description, project }) {
    if (branch !== undefined && noBranch)
      throw usageError('--branch and --no-branch cannot be used together.')
    const body = {
      ...changes({ slug: name, description, branchMatcher: branch }),
      ...(noBranch ? { branchMatcher: null } : {}),
    }
    if (Object.keys(body).length === 0)
      throw usageError('Nothing to change: pass --name, --branch, --no-branch or --description.')
    const { api, idOrName } = await chooseProject(cli, project)
    const changed = await api.call(updateEnvironment, {
      params: { idOrName, environmentSlugOrId: environment },
      body,
    })
    cli.out.show(changed, () => `Changed ${plainText(changed.slug)}.`)
  },
})
