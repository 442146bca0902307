import type { Static } from 'typebox'
import { isNotFound } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { folderApi, linkedAccount } from '../account.ts'
import type { Cli } from '../cli.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { DEPLOYMENT, findDeployment } from './find-deployment.ts'

interface ChosenDeployment {
  readonly api: Client
  readonly id: string
  /** It was not meant itself, but as what is live in its project. */
  readonly isOfProject: boolean
}

export const CHOSEN_DEPLOYMENT = `${DEPLOYMENT}, or name of a project for its live deployment; defaults to that of the linked project`

/**
 * The deployment that was named; else what is live in the project of that name, or in the linked one where nothing was named, or the
 * newest before anything is.
 */
export async function chooseDeployment(cli: Cli, named: string | undefined): Promise<ChosenDeployment> {
  if (named !== undefined) return chooseNamed(await folderApi(cli), named)
  const { api, link } = await linkedAccount(cli)
  if (link === undefined)
    throw usageError(
      'Which deployment? This folder is not linked to a project of this account.',
      'Pass a deployment id or URL, or link the folder with `aloft link`.',
    )
  const project = await api.call(getProject, { params: { idOrName: link.projectId } })
  return { api, id: await liveOf(api, project, 'The linked project'), isOfProject: true }
}

async function chooseNamed(api: Client, named: string): Promise<ChosenDeployment> {
  try {
    return { api, id: (await findDeployment(api, named)).id, isOfProject: false }
  } catch (error) {
    if (!isNotFound(error)) throw error
    const project = await api.call(getProject, { params: { idOrName: named } }).catch((none: unknown) => {
      throw isNotFound(none) ? error : none
    })
    return { api, id: await liveOf(api, project, `The project ${project.name}`), isOfProject: true }
  }
}

async function liveOf(api: Client, project: Static<typeof getProject.reply>, what: string): Promise<string> {
  const live = project.targets.production?.id
  if (live !== undefined) return live
  const { deployments } = await api.call(listDeployments, { query: { projectId: project.id, limit: 1 } })
  const [newest] = deployments
  if (newest === undefined)
    throw new CliError(EXIT.notFound, `${what} has no deployments yet.`, 'Create one: aloft deploy')
  return newest.uid
}
