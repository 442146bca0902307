import { listCronRuns } from '#contract/api/cron.ts'
import { defineCommand, required } from '../command.ts'
import { pageOptions, pageQuery } from '../output/paging.ts'
import { relativeTime } from '../output/relative-time.ts'
import { showList } from '../output/show-list.ts'
import { chooseProject, projectOption } from '../project/choose-project.ts'
import { cronHint, runWords } from './cron.ts'

export const command = defineCommand({
  doing: 'list the runs',
  about:
    'The last 100 runs are kept. To find the log of a run, look for its request id in `aloft logs --json`.',
  arguments: { id: required('id of the schedule') },
  options: { ...pageOptions, ...projectOption },
  examples: [['crons runs cron_4kTbb1xPBoTqRCUtqdXU', 'the latest runs']],
  hints: { not_found: cronHint },
  async run(cli, { id, project, ...page }) {
    const now = cli.now()
    const { api, idOrName } = await chooseProject(cli, project)
    const found = await api.call(listCronRuns, { params: { idOrName, id }, query: pageQuery(page) })
    showList(cli, found, {
      items: found.runs,
      head: ['DUE', 'BY', 'RESULT', 'REQUEST', 'WHY'],
      row: (run) => [
        relativeTime(run.dueAt, now),
        run.trigger,
        runWords(run),
        run.requestId ?? '',
        run.message ?? '',
      ],
      empty: 'No runs yet. Run it now: aloft crons run <id>',
    })
  },
})
