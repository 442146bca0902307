import { updateProjectDomain } from '#contract/api/project-domain.ts'
import { given as changes, defineCommand, flag, optional, required, value } from '../command.ts'
import { usageError } from '../exit.ts'
import { chooseProject } from '../project/choose-project.ts'
import { redirectStatus } from './redirect-status.ts'
import { showAttached } from './show-attached.ts'

export const command = defineCommand({
  doing: 'change the domain',
  about: 'A domain can serve production or a branch, or redirect to another domain.',
  arguments: {
    domain: required('the domain'),
    project: optional('project id or name; defaults to the linked project'),
  },
  options: {
    production: flag('serve production again'),
    branch: value('branch', 'serve the latest preview of this branch'),
    redirect: value('domain', 'redirect to this domain of the project'),
    status: redirectStatus,
  },
  examples: [
    ['domains set www.example.com shop --redirect example.com --status 308', 'redirect to another domain'],
    ['domains set dev.example.com shop --branch dev', 'previews of a branch'],
    ['domains set www.example.com shop --production', 'production again'],
  ],
  hints: { not_found: 'List the domains of a project with `aloft projects domains <project>`.' },
  async run(cli, { domain, project, production, branch, redirect, status }) {
    const named = [production || undefined, branch, redirect].filter((one) => one !== undefined)
    if (named.length > 1) throw usageError('--production, --branch and --redirect cannot be used together.')
    if (named.length === 0 && status === undefined)
      throw usageError('Nothing to change: pass at least one option.')
    const { api, idOrName } = await chooseProject(cli, project)
    const body =
      named.length === 0
        ? changes({ redirectStatusCode: status })
        : {
            redirect: redirect ?? null,
            gitBranch: branch ?? null,
            redirectStatusCode: redirect === undefined ? null : (status ?? null),
          }
    showAttached(cli, await api.call(updateProjectDomain, { params: { idOrName, domain }, body }), idOrName)
  },
})
