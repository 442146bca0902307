import type { LogEvent } from '#client/follow/log-events.ts'
import { followProjectLog, type ProjectLogFilter, readProjectLog } from '#client/follow/project-log.ts'
import { TRAFFIC_TARGETS } from '#contract/api/analytics.ts'
import { LOG_LEVELS, PROJECT_LOG_LIMIT, type ProjectLogEntry } from '#contract/api/project-log.ts'
import { defineCommand, flag, oneOf, optional, readCount, short, value } from '../command.ts'
import { logLine, logLines } from '../deployment/log/log-line.ts'
import { readMoment } from '../deployment/log/read-moment.ts'
import { usageError } from '../exit.ts'
import { chooseProject } from './choose-project.ts'

const SHOWN = 100

export const command = defineCommand({
  doing: 'read the log of the project',
  about:
    'Shows requests to all deployments of a project and their output, oldest first. Times are local. For one deployment and its build, use `aloft logs`.',
  arguments: { project: optional('project id or name; defaults to the linked project') },
  options: {
    follow: short('f', flag('keep printing new entries until Ctrl-C')),
    since: value('time', 'start of the period: 10m, 2h or a date', readMoment()),
    until: value('time', 'end of the period', readMoment()),
    target: value('target', `only ${TRAFFIC_TARGETS.join(' or ')} requests`, oneOf(TRAFFIC_TARGETS)),
    status: value('status', 'only responses with this status (404) or class (4xx,5xx)'),
    level: value('levels', `${LOG_LEVELS.join(', ')}; separate several with commas`),
    method: value('method', 'only requests with this method'),
    path: value('path', 'only requests whose path starts with this, or contains it after a *'),
    host: value('host', 'only requests to this host'),
    text: value('text', 'only entries that contain this exact text'),
    limit: value(
      'count',
      `maximum number of entries; defaults to ${SHOWN}`,
      readCount(PROJECT_LOG_LIMIT.max),
    ),
  },
  examples: [
    ['projects logs', 'latest entries of the linked project'],
    ['projects logs shop --target production --level error -f', 'follow production errors'],
    ['projects logs shop --since 1h --path /api/ --json', 'as JSON'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { project, follow, since, until, text, limit = SHOWN, ...named }) {
    const { out } = cli
    if (follow && until !== undefined) throw usageError('--follow and --until cannot be used together.')
    const { api, idOrName } = await chooseProject(cli, project)
    const given = {
      ...named,
      limit,
      since: since?.toString(),
      until: until?.toString(),
      q: text,
    }
    const query = Object.fromEntries(
      Object.entries(given).filter(([, wanted]) => wanted !== undefined),
    ) as ProjectLogFilter
    if (follow) {
      for await (const entry of followProjectLog(api, idOrName, query))
        out.line(entry, () => logLine(asEvent(entry), out.colors))
      return
    }
    const entries = (await readProjectLog(api, idOrName, query)).entries.toReversed()
    if (entries.length === 0 && !out.json) out.say('No log entries match.')
    out.show(entries, () => logLines(entries.map(asEvent), out.colors).join('\n'))
  },
})

/** An entry as the log of its deployment has it, so that both read alike. */
const asEvent = (entry: ProjectLogEntry): LogEvent => ({
  type: entry.type === 'request' ? 'response' : 'stdout',
  created: entry.at,
  payload: {
    deploymentId: entry.deploymentId,
    info: { type: 'lambda', name: entry.deploymentId, entrypoint: entry.entrypoint },
    text: entry.text,
    id: entry.id,
    date: entry.at,
    serial: entry.serial,
    ...(entry.requestId === undefined ? {} : { requestId: entry.requestId }),
    ...(entry.type === 'stderr' ? { level: 'error' as const } : {}),
  },
})
