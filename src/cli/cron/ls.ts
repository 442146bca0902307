import { listCrons } from '#contract/api/cron.ts'
import { defineCommand } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { relativeTime } from '../relative-time.ts'
import { showList } from '../show-list.ts'
import { runWords } from './cron.ts'

export const command = defineCommand({
  doing: 'list the schedules',
  about: 'Those that the production deployment names in its configuration file, and those that were added.',
  team: true,
  options: projectOption,
  examples: [
    ['crons ls', 'list the schedules of the linked project'],
    ['crons ls --project shop --json', 'for a program to read'],
  ],
  hints: { not_found: 'See your projects with `aloft projects ls`.' },
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
      empty: 'No schedules here. Add one: aloft crons add <path> "<schedule>", or `crons` in vercel.json.',
    })
  },
})
