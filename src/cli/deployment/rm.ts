import { deleteDeployment } from '#contract/api/deployment.ts'
import { folderApi } from '../account.ts'
import { defineCommand, oneOrMore } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { addressOf, DEPLOYMENT, findDeployment, SEE } from './find-deployment.ts'

export const command = defineCommand({
  doing: 'remove the deployment',
  about: 'Its URL stops working immediately. This cannot be undone.',
  arguments: { deployments: oneOrMore(`${DEPLOYMENT}; accepts several`) },
  examples: [
    ['rm dpl_7Y2h…', 'ask for confirmation, then remove'],
    ['rm dpl_7Y2h… dpl_9Kq1… --yes', 'remove two, without confirmation'],
  ],
  hints: SEE,
  async run(cli, given) {
    const api = await folderApi(cli)
    const found = await Promise.all(
      [...new Set(given.deployments)].map((named) => findDeployment(api, named)),
    )
    const shown = found.map((deployment) => plainText(addressOf(cli, deployment)))
    await cli.prompt.confirm(`Remove ${shown.join(', ')}? Domains that serve it stop working.`)
    const removed: { uid: string; state: string }[] = []
    for (const { id } of found) removed.push(await api.call(deleteDeployment, { params: { id } }))
    cli.out.show({ removed }, () => shown.map((address) => `Removed ${address}.`).join('\n'))
  },
})
