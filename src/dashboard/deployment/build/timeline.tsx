import { showDuration } from '#contract/amounts.ts'
import { classes } from '../../ui/classes.ts'
import { Spinner } from '../../ui/feedback/spinner.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Elapsed } from '../../ui/text/elapsed.tsx'
import { formatTime } from '../../ui/text/format.ts'
import type { Step } from './steps.ts'

const MARKS = {
  done: 'border-transparent bg-good-soft text-good',
  current: 'border-transparent bg-accent-soft text-accent',
  failed: 'border-transparent bg-bad-soft text-bad',
  waiting: 'border-line text-soft',
} as const

const SAYS = { done: 'done', current: 'in progress', failed: 'failed', waiting: 'not started' } as const

/** The way of a deployment from files to something live, and how far it has come. */
export const Timeline = ({ steps }: { steps: readonly Step[] }) => (
  <ol className="grid gap-x-2 sm:grid-cols-5" aria-label="Steps">
    {steps.map(({ name, state, ms, since, at }, i) => (
      <li key={name} className="relative flex gap-3 pb-4 last:pb-0 sm:flex-col sm:gap-2 sm:pb-0">
        {i + 1 < steps.length && (
          <span
            aria-hidden="true"
            className={classes(
              'absolute max-sm:top-8 max-sm:bottom-0 max-sm:left-[0.9375rem] max-sm:w-px sm:top-4 sm:right-0 sm:left-10 sm:h-px',
              state === 'done' ? 'bg-good' : 'bg-line',
            )}
          />
        )}
        <span
          className={classes('grid size-8 shrink-0 place-items-center rounded-full border', MARKS[state])}
        >
          {state === 'done' ? (
            <Icon name="check" />
          ) : state === 'failed' ? (
            <Icon name="close" />
          ) : state === 'current' ? (
            <Spinner />
          ) : (
            <span className="size-1.5 rounded-full bg-current" />
          )}
        </span>
        <span className="min-w-0 text-sm max-sm:pt-1">
          <span className={classes('block font-medium', state === 'waiting' && 'text-soft')}>
            {name}
            <span className="sr-only">: {SAYS[state]}</span>
          </span>
          <span
            className="block min-h-5 text-soft tabular-nums"
            title={at === undefined ? undefined : formatTime(at)}
          >
            {since !== undefined ? <Elapsed since={since} /> : ms !== undefined ? showDuration(ms) : ''}
          </span>
        </span>
      </li>
    ))}
  </ol>
)
