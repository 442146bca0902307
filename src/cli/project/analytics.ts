import { showBytes, showDuration } from '#contract/amounts.ts'
import { readAnalytics, TRAFFIC_TARGETS } from '#contract/api/analytics.ts'
import { defineCommand, oneOf, optional, value } from '../command.ts'
import { readMoment } from '../deployment/log/read-moment.ts'
import { localTime } from '../output/local-time.ts'
import { renderFacts, renderTable } from '../output/table.ts'
import { chooseProject } from './choose-project.ts'

const amount = (value: number): string => value.toLocaleString('en')

export const command = defineCommand({
  doing: 'read the analytics of the project',
  about:
    'Shows requests, status codes, latency, data transfer and the most requested paths. Defaults to the last 24 hours.',
  arguments: { project: optional('project id or name; defaults to the linked project') },
  options: {
    since: value('time', 'start of the period: 10m, 2h, 7d or a date', readMoment()),
    until: value('time', 'end of the period', readMoment()),
    target: value('target', `only ${TRAFFIC_TARGETS.join(' or ')} requests`, oneOf(TRAFFIC_TARGETS)),
  },
  examples: [
    ['analytics', 'the last 24 hours of the linked project'],
    ['analytics shop --since 7d --target production', 'a week of production'],
    ['analytics shop --json', 'with a number for each interval'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { project, since, until, target }) {
    const { out } = cli
    const { api, idOrName } = await chooseProject(cli, project)
    const found = await api.call(readAnalytics, {
      params: { idOrName },
      query: {
        ...(since === undefined ? {} : { from: since }),
        ...(until === undefined ? {} : { to: until }),
        ...(target === undefined ? {} : { target }),
      },
    })
    const { totals, topPaths } = found
    out.show(found, () => {
      const facts = renderFacts(
        [
          ['from', localTime(found.from)],
          ['to', localTime(found.to)],
          ['requests', amount(totals.requests)],
          ...(['2xx', '3xx', '4xx', '5xx'] as const).map((of) => [of, amount(totals.status[of])] as const),
          ['p50 latency', showDuration(totals.p50)],
          ['p95 latency', showDuration(totals.p95)],
          ['p99 latency', showDuration(totals.p99)],
          ['data transfer', showBytes(totals.bytes)],
          ['cold starts', amount(totals.coldStarts)],
        ],
        out.colors,
      )
      if (topPaths.length === 0) return facts
      const rows = topPaths.map((top) => [
        top.path,
        amount(top.requests),
        amount(top.errors),
        showDuration(top.p95),
        showBytes(top.bytes),
      ])
      const titles = ['PATH', 'REQUESTS', 'ERRORS', 'P95', 'TRANSFER']
      return `${facts}\n\n${renderTable(titles, rows, out.colors, out.width)}`
    })
  },
})
