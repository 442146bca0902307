/** A reason not to go on that is the operator's to mend. */
export abstract class MendableError extends Error {
  /** What to do about it. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
