import { siteAddress } from '#client/site-address.ts'
import { getProject } from '#contract/api/project.ts'
import { promoteDeployment } from '#contract/api/project-production.ts'
import { defineCommand, required } from '../command.ts'
import { plainText } from '../plain-text.ts'
import { releaseOf, showRelease } from '../release/release.ts'
import { fileChanges, showChanges } from './file-changes.ts'
import { addressOf, DEPLOYMENT, findDeployment, folderApi, SEE } from './folder-api.ts'
import { showMoved } from './show-moved.ts'

export const command = defineCommand({
  doing: 'promote the deployment',
  about:
    'Shows what would change, asks, and then points all production hosts of its project to it at once. New production deployments follow as before. Where the project has stages of releases, it is shown to the first share of the visitors.',
  team: true,
  arguments: { deployment: required(DEPLOYMENT) },
  examples: [
    ['promote dpl_7Y2h…', 'show a deployment that was tried out to everybody'],
    ['promote dpl_7Y2h… --yes', 'without asking'],
  ],
  hints: SEE,
  async run(cli, given) {
    const { api } = await folderApi(cli)
    const deployment = await findDeployment(api, given.deployment)
    const { id, projectId } = deployment
    if (!cli.prompt.agreed) {
      const { targets } = await api.call(getProject, { params: { idOrName: projectId } })
      const live = targets.production
      if (live && live.id !== id) {
        cli.out.say(`Production shows ${live.url ? plainText(siteAddress(cli.baseUrl, live.url)) : live.id}.`)
        cli.out.say(showChanges(await fileChanges(api, live.id, id), cli.out.talkColors))
      }
      await cli.prompt.confirm(`Promote ${plainText(addressOf(cli, deployment))} to production?`)
    }
    await api.call(promoteDeployment, { params: { projectId, deploymentId: id } })
    const rollingRelease = await releaseOf(api, projectId, id)
    if (rollingRelease) showRelease(cli, { rollingRelease })
    else await showMoved(cli, api, deployment)
  },
})
