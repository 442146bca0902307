import { addProjectDomain } from '#contract/api/project-domain.ts'
import { defineCommand, optional, required, value } from '../command.ts'
import { findPlaces } from '../env/places.ts'
import { readTarget } from '../env/read-target.ts'
import { usageError } from '../exit.ts'
import { chooseProject } from '../project/choose-project.ts'
import { redirectStatus } from './redirect-status.ts'
import { showAttached } from './show-attached.ts'

export const command = defineCommand({
  doing: 'attach the domain',
  about: 'The domain then serves the production deployment of the project.',
  arguments: {
    domain: required('domain or subdomain'),
    project: optional('project id or name; defaults to the linked project'),
  },
  options: {
    branch: value('branch', 'serve the latest preview of this branch instead'),
    environment: value('name', 'serve the latest deployment of this environment instead', readTarget),
    redirect: value('domain', 'redirect to this domain of the project instead'),
    status: redirectStatus,
  },
  examples: [
    ['domains attach example.com shop', 'production of the project'],
    ['domains attach www.example.com shop --redirect example.com --status 308', 'redirect to another domain'],
    ['domains attach dev.example.com shop --branch dev', 'previews of a branch'],
    ['domains attach staging.example.com shop --environment staging', 'an environment'],
  ],
  hints: {
    domain_already_in_use: 'Detach it from the other project first: aloft domains detach <domain> <project>',
    not_found: 'List your projects with `aloft projects ls`.',
  },
  async run(cli, { domain, project, branch, environment, redirect, status }) {
    if (status !== undefined && redirect === undefined)
      throw usageError('--status can only be used with --redirect.')
    if (branch !== undefined && environment !== undefined)
      throw usageError('--branch and --environment cannot be used together.')
    if (environment === 'preview' || environment === 'development')
      throw usageError('A domain serves production, a branch or a custom environment.')
    const { api, idOrName } = await chooseProject(cli, project)
    // Production is what it shows without this.
    const [place] =
      environment === undefined || environment === 'production'
        ? []
        : await findPlaces(api, idOrName, [environment])
    const added = await api.call(addProjectDomain, {
      params: { idOrName },
      body: {
        name: domain,
        ...(branch === undefined ? {} : { gitBranch: branch }),
        ...(place === undefined ? {} : { customEnvironmentId: place }),
        ...(redirect === undefined ? {} : { redirect }),
        ...(status === undefined ? {} : { redirectStatusCode: status }),
      },
    })
    showAttached(cli, added, idOrName, environment)
  },
})
