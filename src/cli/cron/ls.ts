import { listCrons } from '#contract/api/cron.ts'
import { defineCommand } from '../command.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { runWords } from './cron.ts'

export const command = defineCommand({
  doing: 'list the schedules',
  about:
    'Includes schedules from the configuration file of the production deployment and schedules added by hand.',
  options: projectOption,
  examples: [
    ['crons ls', 'list the schedules of the linked project'],
    ['crons ls --project shop --json', 'as JSON'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { project }) {
    const now = cli.now()
    const { api, idOrName } = await chooseProject(cli, project)
    const found = await api.call(listCrons, { params: { idOrName } })
    showList(cli, found, {
      items: found.crons,
      head: ['ID', 'PATH', 'SCHEDULE', 'ZONE', 'FROM', 'NEXT', 'LAST'],
      row: ({ id, path, schedule, timeZone, source, enabled, nextAt, lastRun }) => [
        id,
        path,
        schedule,
        timeZone,
        source === 'config' ? 'deployment' : 'added',
        enabled && nextAt !== null ? new Date(nextAt).toISOString().replace(/:\d\d\.\d+Z$/, 'Z') : 'paused',
        lastRun ? `${runWords(lastRun)}, ${relativeTime(lastRun.dueAt, now)}` : '',
      ],
      empty:
        'No schedules yet. Add one: aloft crons add <path> "<schedule>", or define `crons` in vercel.json.',
    })
  },
})
