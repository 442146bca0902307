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

export const noFileMatches = (src: string, run: string): BuildFailure =>
  new BuildFailure('unreferenced_build_specifications', `No file matches ${JSON.stringify(src)}.`, run)
