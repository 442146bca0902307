import type { Static } from 'typebox'
import type { listCrons } from '#contract/api/cron.ts'
import { oneOf, readSwitch, value } from '../command.ts'

export type Cron = Static<typeof listCrons.reply>['crons'][number]
export type Run = NonNullable<Cron['lastRun']>

/** What can be said of a schedule besides when it runs. */
export const cronOptions = {
  timeZone: value('zone', 'by which the schedule goes, as in Europe/Paris; UTC when left out'),
  overlap: value('what', 'when the run before is still going on: skip or allow', oneOf(['skip', 'allow'])),
  makeUp: value('on or off', 'whether a run that was missed is made up for, once', readSwitch),
}

export const cronHint = 'See the schedules with `aloft crons ls`.'

/** What became of a run, in one word and what is known of its answer. */
export const runWords = ({ state, status, durationMs }: Run): string =>
  [state, status === null ? '' : String(status), durationMs === null ? '' : `${durationMs} ms`]
    .filter((word) => word !== '')
    .join(', ')
