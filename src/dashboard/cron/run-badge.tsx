import type { Static } from 'typebox'
import type { listCronRuns } from '#contract/api/cron.ts'
import { Badge, type Tone } from '../ui/badge.tsx'

export type Run = Static<typeof listCronRuns.reply>['runs'][number]

const STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  running: ['accent', 'Running'],
  succeeded: ['good', 'Succeeded'],
  failed: ['bad', 'Failed'],
  skipped: ['neutral', 'Skipped'],
  missed: ['warn', 'Missed'],
  interrupted: ['bad', 'Interrupted'],
}

export const RunBadge = ({ run: { state, message } }: { run: Run }) => {
  const [tone, says] = STATES[state] ?? ['neutral', state]
  return (
    <span title={message ?? undefined}>
      <Badge tone={tone}>{says}</Badge>
    </span>
  )
}
