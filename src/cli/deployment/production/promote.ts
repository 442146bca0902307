import { folderApi } from '../../account.ts'
import { defineCommand, required } from '../../command.ts'
import { DEPLOYMENT, findDeployment, SEE } from '../find-deployment.ts'
import { promoteAsked } from './promote-asked.ts'

export const command = defineCommand({
  doing: 'promote the deployment',
  about:
    'Shows what would change, asks for confirmation, then points all production domains of the project at the deployment. Later production deployments go live as usual. With rolling releases, the first stage starts instead.',
  arguments: { deployment: required(DEPLOYMENT) },
  examples: [
    ['promote dpl_7Y2h…', 'promote a tested deployment'],
    ['promote dpl_7Y2h… --yes', 'without confirmation'],
  ],
  hints: SEE,
  async run(cli, given) {
    const api = await folderApi(cli)
    await promoteAsked(cli, api, await findDeployment(api, given.deployment))
  },
})
