import type { Deployment } from '../deployment/deployment.ts'
import type { ManifestFile } from '../deployment/file/manifest.ts'
import type { Plan } from '../detection/plan.ts'
import type { BuildLog } from '../log/write/build-log.ts'
import type { Output } from '../output/output.ts'
import type { Project } from '../project/project.ts'

export { BuildFailure } from '../build/build-failure.ts'

export interface BuildTask {
  readonly deployment: Deployment
  /** What the files ask for, as it was found out. */
  readonly plan: Plan
  readonly project: Project
  readonly files: readonly ManifestFile[]
  /** What the build's commands find in their environment, besides what the builder itself sets. */
  readonly env: Readonly<Record<string, string>>
  /** A token for private packages, where the request came with one. */
  readonly registryAuthToken?: string
  /** Values that are never shown in the log. */
  readonly secrets: readonly string[]
  /** Aborted when the deployment is deleted, the time is over, or the process stops. */
  readonly signal: AbortSignal
}

/** What a builder tells while it works. `run` is the id of one of the deployment's `buildRuns`. */
export interface BuildEvents {
  readonly log: (run: string) => BuildLog
  readonly began: (run: string) => Promise<void>
  readonly ended: (run: string) => Promise<void>
}

/** Carries out a deployment's plan: turns its files into what is served. */
export interface Builder {
  /**
   * Every content of the output is in the blob store when it resolves. Rejects with a `BuildFailure` where the
   * deployment is at fault, and with the signal's reason after an abort. Leaves nothing running, and may be called
   * again for the same deployment after a crash.
   */
  build(task: BuildTask, events: BuildEvents): Promise<Output>
}
