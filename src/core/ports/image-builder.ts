import type { Program } from '../output/output.ts'

export interface ImageTask {
  /** Its archive is the context, its entry the Dockerfile. The archive is in the blob store. */
  readonly program: Program
  readonly deploymentId: string
  readonly ownerId: string
  /** What its `ARG`s find. */
  readonly args: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** What the steps write, secrets included; waited for, so that it is no faster than it is taken. */
  readonly onOutput: (text: string) => unknown
}

/** Makes images of programs whose runtime is `docker`. */
export interface ImageBuilder {
  /**
   * The image is there when it resolves, until it is needed for so long by nobody that it is removed; then it is made
   * again from the archive. Rejects with a `BuildFailure` where it cannot be made, and with the signal's reason after
   * an abort. Leaves nothing running.
   */
  build(task: ImageTask): Promise<void>
}
