import type { Client } from '#client/client.ts'
import { siteAddress } from '#client/site-address.ts'
import { listMovedAliases } from '#contract/api/project-production.ts'
import type { Cli } from '../../cli.ts'
import { plainText } from '../../output/plain-text.ts'
import { addressOf, type Deployment } from '../find-deployment.ts'

/** Tells which hosts show a deployment now. */
export async function showMoved(cli: Cli, api: Client, deployment: Deployment): Promise<void> {
  const { projectId, id } = deployment
  const { aliases } = await api.call(listMovedAliases, { params: { projectId }, query: { limit: 100 } })
  const hosts = aliases.map(({ alias }) => siteAddress(cli.baseUrl, alias))
  cli.out.show({ projectId, deploymentId: id, aliases }, () =>
    [`Production now serves ${addressOf(cli, deployment)}.`, ...hosts.map((host) => `  ${host}`)]
      .map(plainText)
      .join('\n'),
  )
}
