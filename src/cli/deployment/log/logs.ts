import type { Client } from '#client/client.ts'
import { followLog, type LogQuery, readLog } from '#client/follow/log-events.ts'
import { LOG_LIMIT, LOG_TYPES } from '#contract/api/log.ts'
import { defineCommand, flag, optional, readCount, short, value } from '../../command.ts'
import { usageError } from '../../exit.ts'
import type { Output } from '../../output/output.ts'
import { plainText } from '../../output/plain-text.ts'
import { CHOSEN_DEPLOYMENT, chooseDeployment } from '../choose-deployment.ts'
import { findDeployment, SEE } from '../find-deployment.ts'
import { quoted, readFailure } from './build-failure.ts'
import { logLine, logLines } from './log-line.ts'
import { readMoment } from './read-moment.ts'

const SHOWN = 100

export const command = defineCommand({
  doing: 'read the log',
  about:
    'Shows the latest entries, oldest first: one line per request followed by its output, and build output. Times are local. For all deployments of a project, use `aloft projects logs`.',
  arguments: { deployment: optional(CHOSEN_DEPLOYMENT) },
  options: {
    follow: short('f', flag('keep printing new entries until Ctrl-C')),
    since: value('time', 'start of the period: 10m, 2h or a date', readMoment()),
    until: value('time', 'end of the period', readMoment()),
    status: value('status', 'only responses with this status (404) or class (5xx)'),
    type: value('types', `${LOG_TYPES.join(', ')}; separate several with commas`),
    text: value('text', 'only entries that contain this exact text'),
    build: flag('only build output'),
    limit: value('count', `maximum number of entries; defaults to ${SHOWN}`, readCount(LOG_LIMIT)),
  },
  examples: [
    ['logs', 'latest entries of the live deployment'],
    ['logs shop', 'those of another project'],
    ['logs dpl_7Y2h… -f', 'follow the log of a deployment'],
    ['logs --since 1h --status 5xx', 'server errors of the last hour'],
    ['logs dpl_7Y2h… --build --json', 'build output, as JSON'],
  ],
  hints: SEE,
  async run(cli, given) {
    const { out } = cli
    if (given.follow && given.until !== undefined)
      throw usageError('--follow and --until cannot be used together.')
    const { api, id } = await chooseDeployment(cli, given.deployment)
    const { since, until, status, type, text } = given
    const query: LogQuery = {
      limit: given.limit ?? SHOWN,
      ...(since === undefined ? {} : { since: String(since) }),
      ...(until === undefined ? {} : { until: String(until) }),
      ...(status === undefined ? {} : { statusCode: status }),
      ...(type === undefined ? {} : { types: type }),
      ...(text === undefined ? {} : { q: text }),
      ...(given.build ? { builds: true } : {}),
    }
    if (given.follow) {
      for await (const entry of followLog(api, id, query))
        if (out.json || entry.type !== 'request') out.line(entry, () => logLine(entry, out.colors))
      if (given.build) await sayFailure(out, api, id)
      return
    }
    const entries = (await readLog(api, id, { ...query, direction: 'backward' })).reverse()
    if (entries.length === 0 && !out.json) out.say('No log entries match.')
    out.show(entries, () => logLines(entries, out.colors).join('\n'))
    if (given.build) await sayFailure(out, api, id)
  },
})

/** After the log of a build that failed, for a person: the lines that say why, and what to try. */
async function sayFailure(out: Output, api: Client, id: string): Promise<void> {
  if (out.json) return
  const deployment = await findDeployment(api, id)
  if (deployment.readyState !== 'ERROR') return
  const { lines, hint } = await readFailure(api, deployment)
  const { red } = out.talkColors
  out.say(`\n${red('The build failed.')} ${plainText(deployment.errorMessage ?? '')}`.trimEnd())
  if (lines.length > 0) out.say(quoted(lines, out.talkColors))
  out.say(`  hint: ${hint}`)
}
