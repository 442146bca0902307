import { getProject } from '#contract/api/project.ts'
import { folderApi } from '../account.ts'
import { defineCommand, optional, required } from '../command.ts'
import { CliError, EXIT } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { fileChanges, showChanges } from './file-changes.ts'
import { addressOf, DEPLOYMENT, findDeployment, SEE } from './find-deployment.ts'

export const command = defineCommand({
  doing: 'compare the deployments',
  about: 'Lists files added, changed or removed between the two deployments.',
  arguments: {
    deployment: required(DEPLOYMENT),
    with: optional('deployment to compare with; defaults to the live deployment of its project'),
  },
  examples: [
    ['compare dpl_7Y2h…', 'what promoting it would change in production'],
    ['compare dpl_7Y2h… dpl_9K4m… --json', 'compare two deployments, as JSON'],
  ],
  hints: SEE,
  async run(cli, given) {
    const { out } = cli
    const api = await folderApi(cli)
    const to = await findDeployment(api, given.deployment)
    const from = given.with ?? (await liveIn(to.projectId))
    const base = await findDeployment(api, from)
    const changes = await fileChanges(api, base.id, to.id)
    out.show({ from: base.id, to: to.id, ...changes }, () =>
      [
        `${plainText(addressOf(cli, base))} → ${plainText(addressOf(cli, to))}`,
        showChanges(changes, out.colors, Number.POSITIVE_INFINITY),
      ].join('\n'),
    )

    async function liveIn(idOrName: string): Promise<string> {
      const { targets } = await api.call(getProject, { params: { idOrName } })
      if (targets.production) return targets.production.id
      throw new CliError(
        EXIT.notFound,
        'The project has no production deployment yet.',
        'Pass the deployment to compare with: aloft compare <deployment> <with>',
      )
    }
  },
})
