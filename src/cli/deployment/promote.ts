import { defineCommand, required } from '../command.ts'
import { DEPLOYMENT, findDeployment, folderApi, SEE } from './folder-api.ts'
import { promoteAsked } from './promote-asked.ts'

export const command = defineCommand({
  doing: 'promote the deployment',
  about:
    'Shows what would change, asks, and then points all production hosts of its project to it at once. New production deployments follow as before. Where the project has stages of releases, it is shown to the first share of the visitors.',
  team: true,
  arguments: { deployment: required(DEPLOYMENT) },
  examples: [
    ['promote dpl_7Y2h…', 'show a deployment that was tried out to everybody'],
    ['promote dpl_7Y2h… --yes', 'without confirmation'],
  ],
  hints: SEE,
  async run(cli, given) {
    const { api } = await folderApi(cli)
    await promoteAsked(cli, api, await findDeployment(api, given.deployment))
  },
})
