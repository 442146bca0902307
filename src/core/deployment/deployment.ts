import type { LegacyState, LegacyType, ReadyState, Target } from '#contract/api/deployment.ts'
import type { Plan } from '#contract/limit/limits.ts'
import type { Origin } from '#contract/origins.ts'
import type { QueuePlace } from '#contract/words/queue-words.ts'
import type { CronSpec } from '../cron/cron.ts'
import type { EnvironmentOfDeployment } from '../custom-environment/custom-environment.ts'
import type { BuildSettings } from '../project/project.ts'
import type { Route } from '../routing/route.ts'
import { legacyState } from './ready-state.ts'

export interface BuildSpec {
  readonly src: string
  readonly use: string
  readonly config: Readonly<Record<string, unknown>>
}

/** One run of a builder. */
export interface Build {
  readonly id: string
  readonly use: string
  readonly config: Readonly<Record<string, unknown>>
  readonly path: string
  readonly readyState: ReadyState
  readonly readyStateAt: number
}

export interface Scale {
  readonly min: number
  readonly max: number
}

export interface Failure {
  readonly code: string
  readonly message: string
  /** In which step it failed. */
  readonly step: string
}

/** Files and configuration, frozen; afterwards only its state moves, up to READY or ERROR. */
export interface Deployment {
  readonly id: string
  readonly ownerId: string
  readonly projectId: string
  readonly creatorId: string
  readonly name: string
  /** Null while files are still to be uploaded. */
  readonly host: string | null
  readonly state: ReadyState
  readonly stateAt: number
  readonly createdAt: number
  readonly readyAt: number | null
  /** Since when production has shown it, or when it last began to; null: never. Absent from those of earlier releases. */
  readonly liveAt?: number | null
  /** When its build was begun, the last time that it was. Absent where none was, and from those of earlier releases. */
  readonly buildingAt?: number
  readonly createdIn: Origin
  readonly regions: readonly string[]
  readonly plan: Plan
  readonly public: boolean
  readonly target: Target | null
  /** Of the project's own; absent where it was made for production or a preview. */
  readonly customEnvironment?: EnvironmentOfDeployment
  readonly meta: Readonly<Record<string, string>>
  readonly routes: readonly Route[] | null
  readonly builds: readonly BuildSpec[]
  readonly buildRuns: readonly Build[]
  readonly envKeys: readonly string[]
  readonly buildEnvKeys: readonly string[]
  /** What `alias` asked for; null when the field was absent. */
  readonly aliasWish: readonly string[] | null
  readonly aliasFinal: readonly string[]
  readonly aliasAssigned: boolean
  readonly aliasError: { readonly code: string; readonly message: string } | null
  readonly failure: Failure | null
  readonly type: LegacyType
  readonly scale: Scale
  readonly sessionAffinity: 'ip' | 'random'
  readonly nodeVersion: string | null
  /** What an older client said that it is; null where the files have to tell. */
  readonly requestedType: LegacyType | null
  /** The project's settings as they were when it was made. Absent from those of earlier releases. */
  readonly settings?: BuildSettings
  /** Where its build is among those that wait; null once it was begun, absent where it never had to. */
  readonly queue?: QueuePlace | null
  /** What is to be requested on a schedule while it is in production; absent where nothing is. */
  readonly crons?: readonly CronSpec[]
  /** Files are still to be uploaded. */
  readonly incomplete: boolean
  /** Equal for deployments of the same files and configuration. */
  readonly digest: string
}

/** Of one program. */
export const MAX_INSTANCES = 10

export const legacyStateOf = (d: Deployment, instances: number): LegacyState =>
  legacyState(d.state, {
    type: d.type,
    incomplete: d.incomplete,
    instances,
    failedBuilding: d.failure?.step === 'build',
  })

/** What programs are told: everything but production is a preview. */
export const environmentOf = ({ target }: Pick<Deployment, 'target'>): 'production' | 'preview' =>
  target === 'production' ? 'production' : 'preview'

/** The same by the name that its project has for it. */
export const environmentNameOf = (deployment: Pick<Deployment, 'target' | 'customEnvironment'>): string =>
  deployment.customEnvironment?.slug ?? deployment.target ?? 'preview'
