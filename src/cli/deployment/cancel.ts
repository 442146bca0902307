import { cancelDeployment } from '#contract/api/deployment.ts'
import { folderApi } from '../account.ts'
import { defineCommand, oneOrMore } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { addressOf, DEPLOYMENT, findDeployment, SEE } from './find-deployment.ts'

export const command = defineCommand({
  doing: 'cancel the build',
  about: 'Cancels a queued or running build. Production is not affected.',
  arguments: { deployments: oneOrMore(`${DEPLOYMENT}; accepts several`) },
  examples: [['cancel dpl_7Y2h…', 'cancel a build']],
  hints: { ...SEE, conflict: 'Check its status with `aloft inspect`.' },
  async run(cli, given) {
    const api = await folderApi(cli)
    const found = await Promise.all(
      [...new Set(given.deployments)].map((named) => findDeployment(api, named)),
    )
    const shown = found.map((deployment) => plainText(addressOf(cli, deployment)))
    await cli.prompt.confirm(`Cancel the build of ${shown.join(', ')}?`)
    const cancelled: { id: string; readyState: string }[] = []
    for (const { id } of found) {
      const { readyState } = await api.call(cancelDeployment, { params: { id } })
      cancelled.push({ id, readyState })
    }
    cli.out.show({ cancelled }, () => shown.map((address) => `Cancelled the build of ${address}.`).join('\n'))
  },
})
