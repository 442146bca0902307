import { createCron } from '#contract/api/cron.ts'
import { given as changes, defineCommand, required } from '../command.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { cronOptions } from './cron.ts'

export const command = defineCommand({
  doing: 'add the schedule',
  about:
    'Sends a GET request for the path to the production deployment. A schedule has five fields: minute, hour, day of the month, month, day of the week.',
  arguments: {
    path: required('path, such as /api/nightly'),
    schedule: required('cron schedule, such as "0 5 * * *"'),
  },
  options: { ...cronOptions, ...projectOption },
  examples: [
    ['crons add /api/nightly "0 5 * * *"', 'every day at 05:00 UTC'],
    ['crons add /api/report "30 8 * * 1" --time-zone Europe/Paris', 'Mondays at 08:30 in Paris'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, { path, schedule, timeZone, overlap, makeUp, project }) {
    const { out } = cli
    const { api, idOrName } = await chooseProject(cli, project)
    const created = await api.call(createCron, {
      params: { idOrName },
      body: { path, schedule, ...changes({ timeZone, overlap, makeUp }) },
    })
    if (!out.json && created.nextAt !== null)
      out.say(`${created.path} runs next at ${new Date(created.nextAt).toISOString()}.`)
    out.show(created, () => created.id)
  },
})
