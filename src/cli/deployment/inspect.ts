import { siteAddress } from '#client/site-address.ts'
import { listDeploymentAliases } from '#contract/api/alias.ts'
import { listBuilds } from '#contract/api/deployment.ts'
import { queueWords } from '#contract/words/queue-words.ts'
import { folderApi } from '../account.ts'
import { defineCommand, required } from '../command.ts'
import { relativeTime } from '../output/relative-time.ts'
import { renderFacts, renderTable } from '../output/table.ts'
import { addressOf, DEPLOYMENT, findDeployment, SEE } from './find-deployment.ts'
import { quoted, readFailure } from './log/build-failure.ts'
import { liveOf } from './production/live-of.ts'
import { stateText } from './state-text.ts'

const listed = (values: readonly string[]): string => values.join(', ') || '-'

export const command = defineCommand({
  doing: 'inspect the deployment',
  arguments: { deployment: required(DEPLOYMENT) },
  examples: [
    ['inspect dpl_7Y2h…', 'its status, URLs and builds'],
    ['inspect shop-a1b2c3d4e.localhost --json', 'as JSON'],
  ],
  hints: SEE,
  async run(cli, given) {
    const { out } = cli
    const api = await folderApi(cli)
    const deployment = await findDeployment(api, given.deployment)
    const params = { id: deployment.id }
    const [{ builds }, { aliases }, production, failure] = await Promise.all([
      api.call(listBuilds, { params }),
      api.call(listDeploymentAliases, { params }),
      liveOf(api, deployment.projectId),
      deployment.readyState === 'ERROR' ? readFailure(api, deployment) : undefined,
    ])
    const live = production === deployment.id
    const { errorCode, errorMessage, aliasError, queue } = deployment
    const all = { deployment, live, builds, aliases, address: addressOf(cli, deployment) }
    out.show(failure === undefined ? all : { ...all, failure }, () => {
      const facts = renderFacts(
        [
          ['id', deployment.id],
          ['project', `${deployment.name} (${deployment.projectId})`],
          ['status', stateText(deployment.readyState, out.colors, live ? ', live in production' : '')],
          ...(queue === undefined ? [] : ([['waits', queueWords(queue, cli.now())]] as const)),
          ...(errorCode === undefined ? [] : ([['error', `${errorMessage ?? ''} (${errorCode})`]] as const)),
          ...(failure === undefined ? [] : ([['hint', failure.hint]] as const)),
          ['target', deployment.customEnvironment?.slug ?? deployment.target ?? 'preview'],
          ['URL', addressOf(cli, deployment)],
          ...aliases.map(({ alias }) => ['alias', siteAddress(cli.baseUrl, alias)] as const),
          ...(aliasError === null ? [] : ([['alias error', aliasError.message]] as const)),
          ['created', relativeTime(deployment.createdAt, cli.now())],
          ['regions', listed(deployment.regions)],
          ['env', listed(deployment.env)],
          ['build env', listed(deployment.build.env)],
          ['public', deployment.public ? 'yes' : 'no'],
          ...Object.entries(deployment.meta).map(([key, value]) => [`meta ${key}`, value] as const),
        ],
        out.colors,
      )
      const quote =
        failure === undefined || failure.lines.length === 0
          ? ''
          : `\n\nFrom the build log:\n${quoted(failure.lines, out.colors)}`
      if (builds.length === 0) return `${facts}${quote}`
      const rows = builds.map(({ path, use, readyState }) => [path || '-', use, readyState])
      return `${facts}${quote}\n\n${renderTable(['BUILD OF', 'BY', 'STATUS'], rows, out.colors, out.width)}`
    })
  },
})
