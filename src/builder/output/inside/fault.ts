/** The deployment cannot be packed; the message is for its owner. */
export class PackFault extends Error {
  override readonly name = 'PackFault'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
