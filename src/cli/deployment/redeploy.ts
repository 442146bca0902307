import type { DeployEvent } from '#client/deploy/deploy-event.ts'
import { followBuild } from '#client/follow/follow-build.ts'
import { redeployDeployment } from '#contract/api/deployment.ts'
import { defineCommand, flag, optional, value } from '../command.ts'
import { readDeployTarget } from '../deploy/deploy-target.ts'
import { followDeployment } from '../deploy/follow-deployment.ts'
import { readTarget } from '../env/read-target.ts'
import { CHOSEN_DEPLOYMENT, chooseDeployment } from './choose-deployment.ts'
import { SEE } from './find-deployment.ts'

export const command = defineCommand({
  doing: 'redeploy',
  about:
    'Uses the current variables and settings of the project. Variables passed to the original deployment with --env are kept.',
  arguments: {
    deployment: optional(CHOSEN_DEPLOYMENT),
  },
  options: {
    prod: flag('deploy to production; short for --target production'),
    target: value(
      'target',
      'production, preview, staging or a custom environment; defaults to the original target',
      readTarget,
    ),
    noWait: flag('do not wait for the build'),
    noClipboard: flag('do not copy the URL to the clipboard'),
  },
  examples: [
    ['redeploy', 'redeploy the live deployment, for example after changing a variable'],
    ['redeploy dpl_7Y2h… --prod', 'redeploy a preview to production'],
  ],
  hints: SEE,
  async run(cli, given) {
    const { target = given.target === 'preview' ? 'preview' : undefined, environment } =
      readDeployTarget(given)
    const { api, id } = await chooseDeployment(cli, given.deployment)
    async function* events(signal: AbortSignal): AsyncGenerator<DeployEvent> {
      const deployment = await api.call(redeployDeployment, {
        params: { id },
        body: {
          ...(target === undefined ? {} : { target }),
          ...(environment === undefined ? {} : { customEnvironmentSlugOrId: environment }),
        },
        signal,
      })
      yield { type: 'redeployed', deployment, of: id }
      if (!given.noWait) yield* followBuild(api, deployment, { signal })
    }
    await followDeployment(cli, api, events, {
      copy: !given.noClipboard,
      nothingYet: 'Run it again.',
    })
  },
})
