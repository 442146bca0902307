import type { Static } from 'typebox'
import type { listCrons } from '#contract/api/cron.ts'

export type Cron = Static<typeof listCrons.reply>['crons'][number]
