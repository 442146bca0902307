import type { ReadyState } from '#contract/api/deployment.ts'

export interface Step {
  readonly name: string
  readonly state: 'done' | 'current' | 'failed' | 'waiting'
  /** How long it took, where that is known. */
  readonly ms?: number | undefined
  /** Since when it goes on. */
  readonly since?: number | undefined
  /** When it began. */
  readonly at?: number | undefined
}

interface Times {
  readonly state: ReadyState
  readonly createdAt: number
  /** Since when it is in its state. */
  readonly stateAt: number
  /** When the build printed its first line. */
  readonly firstLineAt?: number | undefined
  /** When the last of its builds ended. */
  readonly builtAt?: number | undefined
  readonly errorStep?: string | undefined
  /** When each state was entered, as far as somebody watched. */
  readonly seen: Readonly<Partial<Record<ReadyState, number>>>
}

const STEPS = [
  ['INITIALIZING', 'Queued'],
  ['ANALYZING', 'Analyzing'],
  ['BUILDING', 'Building'],
  ['DEPLOYING', 'Deploying'],
  ['READY', 'Ready'],
] as const

/** When each step began: as it was seen, or as the log and the builds tell. */
function beginnings({ state, createdAt, stateAt, firstLineAt, builtAt, seen }: Times) {
  return [
    createdAt,
    seen.ANALYZING,
    seen.BUILDING ?? firstLineAt,
    seen.DEPLOYING ?? (state === 'DEPLOYING' ? stateAt : builtAt),
    state === 'READY' ? stateAt : undefined,
  ]
}

/** How far a deployment has come, and how long each step took. */
export function stepsOf(times: Times): readonly Step[] {
  const { state, stateAt, errorStep } = times
  const began = beginnings(times)
  const reached =
    state === 'ERROR' ? (errorStep === 'deploy' ? 3 : 2) : STEPS.findIndex(([each]) => each === state)
  return STEPS.map(([, name], i): Step => {
    const at = began[i]
    // The next that is known to have begun ends it; the last one that was reached ends with the failure.
    const next = began.slice(i + 1, reached + 1).find((each) => each !== undefined)
    const end = i === reached && state === 'ERROR' ? stateAt : next
    const ms = at === undefined || end === undefined ? undefined : Math.max(end - at, 0)
    if (i > reached) return { name, state: 'waiting' }
    if (i < reached) return { name, state: 'done', ms, at }
    if (state === 'ERROR') return { name, state: 'failed', ms, at }
    if (state === 'READY') return { name, state: 'done', at, ms: stateAt - times.createdAt }
    return { name, state: 'current', since: at ?? stateAt, at: at ?? stateAt }
  })
}
