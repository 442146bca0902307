import type { Client } from '#client/client.ts'
import { siteAddress } from '#client/site-address.ts'
import { getProject } from '#contract/api/project.ts'
import { promoteDeployment } from '#contract/api/project-production.ts'
import type { Cli } from '../../cli.ts'
import { plainText } from '../../output/plain-text.ts'
import { releaseOf, showRelease } from '../../release/release.ts'
import { fileChanges, showChanges } from '../file-changes.ts'
import { addressOf, type Deployment } from '../find-deployment.ts'
import { showMoved } from './show-moved.ts'

/** Shows what a promotion would change, asks, and then does it. */
export async function promoteAsked(cli: Cli, api: Client, deployment: Deployment): Promise<void> {
  const { id, projectId } = deployment
  if (!cli.prompt.agreed) {
    const { targets } = await api.call(getProject, { params: { idOrName: projectId } })
    const live = targets.production
    if (live && live.id !== id) {
      cli.out.say(
        `Production currently serves ${live.url ? plainText(siteAddress(cli.baseUrl, live.url)) : live.id}.`,
      )
      cli.out.say(showChanges(await fileChanges(api, live.id, id), cli.out.talkColors))
    }
    await cli.prompt.confirm(`Promote ${plainText(addressOf(cli, deployment))} to production?`)
  }
  await api.call(promoteDeployment, { params: { projectId, deploymentId: id } })
  const rollingRelease = await releaseOf(api, projectId, id)
  if (rollingRelease) showRelease(cli, { rollingRelease })
  else await showMoved(cli, api, deployment)
}
