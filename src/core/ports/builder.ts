import type { Deployment } from '../deployment/deployment.ts'
import type { ManifestFile } from '../deployment/manifest.ts'
import type { BuildLog } from '../log/build-log.ts'
import type { Output } from '../output/output.ts'
import type { Project } from '../project/project.ts'

export interface BuildTask {
  readonly deployment: Deployment
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

/** Turns the files of a deployment into what is served. */
export interface Builder {
  /**
   * Every content of the output is in the blob store when it resolves. Rejects with a `BuildFailure` where the
   * deployment is at fault, and with the signal's reason after an abort. Leaves nothing running, and may be called
   * again for the same deployment after a crash.
   */
  build(task: BuildTask, events: BuildEvents): Promise<Output>
}

/** The deployment cannot be built; the message is for its owner and holds no secrets. */
export class BuildFailure extends Error {
  override readonly name = 'BuildFailure'
  /** Such as `build_failed`, `install_failed`, `missing_output`, `build_timeout`, `out_of_memory`. */
  readonly code: string
  /** The build that failed, where it is one of them. */
  readonly run: string | undefined

  constructor(code: string, message: string, run?: string) {
    super(message)
    this.code = code
    this.run = run
  }
}
