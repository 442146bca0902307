import { showDuration } from '#contract/amounts.ts'
import { readAnalytics } from '#contract/api/analytics.ts'
import { getRelease, getReleaseConfig } from '#contract/api/release.ts'
import { defineCommand } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { relativeTime } from '../output/relative-time.ts'
import { renderFacts, renderTable } from '../output/table.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { HINTS, nextWords, releaseWords } from './release.ts'

const percent = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${Math.round((1000 * part) / whole) / 10}%`

export const command = defineCommand({
  doing: 'show the release',
  about: 'Shows its progress, the next stage and the metrics of both deployments.',
  options: projectOption,
  examples: [
    ['releases status', 'of the linked project'],
    ['releases status --project shop --json', 'as JSON'],
  ],
  hints: HINTS,
  async run(cli, { project }) {
    const { api, idOrName } = await chooseProject(cli, project)
    const params = { idOrName }
    const [{ rollingRelease: release }, { rollingRelease: config }] = await Promise.all([
      api.call(getRelease, { params }),
      api.call(getReleaseConfig, { params }),
    ])
    const sides = await Promise.all(
      [release?.currentDeployment, release?.canaryDeployment].map(async (deployment) =>
        release && deployment
          ? {
              deployment,
              traffic: await api.call(readAnalytics, {
                params,
                query: { from: release.startedAt, target: 'production', deploymentId: deployment.id },
              }),
            }
          : undefined,
      ),
    )
    const stages = config?.stages.map(({ targetPercentage, duration, requireApproval }) =>
      requireApproval || duration === undefined
        ? `${targetPercentage}%`
        : `${targetPercentage}% for ${duration} min`,
    )
    cli.out.show({ rollingRelease: release, config }, () => {
      const facts: (readonly [string, string])[] = [
        ['stages', stages?.join(', ') ?? 'off: new deployments go to all visitors immediately'],
        ['release', plainText(releaseWords(release))],
      ]
      if (release?.state === 'ACTIVE')
        facts.push(['next', nextWords(release, (at) => relativeTime(at, cli.now()))])
      const rows = sides.flatMap((side, index) =>
        side === undefined
          ? []
          : [
              [
                index === 0 ? 'before' : 'new',
                plainText(side.deployment.url),
                String(side.traffic.totals.requests),
                percent(side.traffic.totals.status['5xx'], side.traffic.totals.requests),
                showDuration(side.traffic.totals.p95),
              ],
            ],
      )
      const table = renderTable(['', 'DEPLOYMENT', 'REQUESTS', 'ERRORS', 'P95'], rows, cli.out.colors)
      return rows.length === 0
        ? renderFacts(facts, cli.out.colors)
        : `${renderFacts(facts, cli.out.colors)}\n\n${table}`
    })
  },
})
