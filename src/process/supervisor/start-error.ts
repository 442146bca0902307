/** A reason not to start that is the operator's to mend. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
