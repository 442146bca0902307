import type { ReactNode } from 'react'
import { isCancelled } from '#contract/build/build-hint.ts'
import { classes } from './classes.ts'

const TONES = {
  neutral: 'bg-hover text-soft',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  accent: 'bg-accent-soft text-accent',
} as const
export type Tone = keyof typeof TONES

export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) => (
  <span
    className={classes(
      'inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap',
      TONES[tone],
    )}
  >
    {children}
  </span>
)

/** How the states of something are shown. */
export type States = Readonly<Record<string, { readonly tone: Tone; readonly says: string }>>

/** One of these states. One that is not among them is shown as it is written. */
export const StateOf = ({ states, state }: { states: States; state: string }) => (
  <Badge tone={states[state]?.tone ?? 'neutral'}>{states[state]?.says ?? state}</Badge>
)

const STATES: Readonly<
  Record<string, { readonly tone: Tone; readonly says: string; readonly moves?: true }>
> = {
  READY: { tone: 'good', says: 'Ready' },
  ERROR: { tone: 'bad', says: 'Failed' },
  BUILD_ERROR: { tone: 'bad', says: 'Build failed' },
  CANCELED: { tone: 'neutral', says: 'Cancelled' },
  QUEUED: { tone: 'neutral', says: 'Queued' },
  INITIALIZING: { tone: 'accent', says: 'Starting', moves: true },
  ANALYZING: { tone: 'accent', says: 'Analyzing', moves: true },
  BUILDING: { tone: 'accent', says: 'Building', moves: true },
  UPLOADING: { tone: 'accent', says: 'Uploading', moves: true },
  DEPLOYING: { tone: 'accent', says: 'Deploying', moves: true },
}

/** The state of a deployment: in words and colour, so that neither is needed alone. */
export const StateBadge = ({ state, code }: { state: string; code?: string | undefined }) => {
  const { tone, says, moves } = STATES[isCancelled(code) ? 'CANCELED' : state] ?? {
    tone: 'neutral',
    says: state,
  }
  return (
    <Badge tone={tone}>
      <span className={classes('size-1.5 rounded-full bg-current', moves && 'animate-pulse')} />
      {says}
    </Badge>
  )
}
