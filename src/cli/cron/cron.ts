import type { Static } from 'typebox'
import { showDuration } from '#contract/amounts.ts'
import type { listCrons } from '#contract/api/cron.ts'
import { oneOf, readSwitch, value } from '../command.ts'

type Cron = Static<typeof listCrons.reply>['crons'][number]
type Run = NonNullable<Cron['lastRun']>

/** What can be said of a schedule besides when it runs. */
export const cronOptions = {
  timeZone: value('zone', 'time zone of the schedule, such as Europe/Paris; defaults to UTC'),
  overlap: value(
    'what',
    'whether a run may start while the previous one is running: skip or allow',
    oneOf(['skip', 'allow']),
  ),
  makeUp: value('on or off', 'whether to run once after missed runs', readSwitch),
}

export const cronHint = 'List the schedules with `aloft crons ls`.'

/** What became of a run, in one word and what is known of its answer. */
export const runWords = ({ state, status, durationMs }: Run): string =>
  [state, status === null ? '' : String(status), durationMs === null ? '' : showDuration(durationMs)]
    .filter((word) => word !== '')
    .join(', ')
