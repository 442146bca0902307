import type { Client } from '#client/client.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { folderApi, linkedAccount } from '../account.ts'
import type { Cli } from '../cli.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { findDeployment } from './find-deployment.ts'

interface ChosenDeployment {
  readonly api: Client
  readonly id: string
}

/** The deployment that was named; else what is live in the linked project, or the newest before anything is. */
export async function chooseDeployment(cli: Cli, named: string | undefined): Promise<ChosenDeployment> {
  if (named !== undefined) {
    const api = await folderApi(cli)
    return { api, id: (await findDeployment(api, named)).id }
  }
  const { api, link } = await linkedAccount(cli)
  if (link === undefined)
    throw usageError(
      'Which deployment? This folder is not linked to a project of this account.',
      'Pass a deployment id or URL, or link the folder with `aloft link`.',
    )
  const { targets } = await api.call(getProject, { params: { idOrName: link.projectId } })
  const live = targets.production?.id
  if (live !== undefined) return { api, id: live }
  const { deployments } = await api.call(listDeployments, { query: { projectId: link.projectId, limit: 1 } })
  const [newest] = deployments
  if (newest === undefined)
    throw new CliError(
      EXIT.notFound,
      'The linked project has no deployments yet.',
      'Create one: aloft deploy',
    )
  return { api, id: newest.uid }
}
