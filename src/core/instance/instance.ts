import type { TrafficTarget } from '#contract/api/analytics.ts'
import type { Scale } from '../deployment/deployment.ts'
import type { Program } from '../output/output.ts'

/** One running copy of a program. */
export interface Instance {
  /** 24 lower-case letters and digits. */
  readonly id: string
  readonly deploymentId: string
  readonly program: string
  /** The working process that runs it. */
  readonly worker: string
  readonly startedAt: number
  readonly ownerId: string
  readonly memoryMb: number
}

/** Everything that is needed to run a program. */
export interface LoadedProgram {
  readonly program: Program
  readonly deploymentId: string
  readonly ownerId: string
  readonly projectId: string
  /** What the deployment is for. */
  readonly environment?: TrafficTarget
  /** All variables it finds, secrets in the clear: never logged, never written. */
  readonly env: Readonly<Record<string, string>>
  readonly scale: Scale
  /** What its log is told when it starts. */
  readonly notice?: string
  /** Of the deployment, for what is told to its log. */
  readonly paths: readonly string[]
}

/** Undefined when the deployment was deleted, could not be built, or has no such program. */
export type LoadProgram = (ref: {
  readonly deploymentId: string
  readonly program: string
}) => Promise<LoadedProgram | undefined>
