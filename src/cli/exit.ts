/** What the exit code of the command line says; printed by `aloft --help`. */
export const EXIT = { ok: 0, failure: 1, usage: 2, forbidden: 3, notFound: 4, cancelled: 130 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const CODES = {
  [EXIT.failure]: 'failed',
  [EXIT.usage]: 'usage',
  [EXIT.forbidden]: 'forbidden',
  [EXIT.notFound]: 'not_found',
  [EXIT.cancelled]: 'cancelled',
} as const

/** A failure that the command line finds by itself: why, and what to try. */
export class CliError extends Error {
  readonly exit: ExitCode
  readonly code: string
  readonly hint: string | undefined

  constructor(exit: Exclude<ExitCode, 0>, message: string, hint?: string, code?: string) {
    super(message)
    this.name = 'CliError'
    this.exit = exit
    this.code = code ?? CODES[exit]
    this.hint = hint
  }
}

/** The command did its work, and what it found is bad: nothing could not be done. */
export class BadOutcome extends CliError {
  constructor(message: string) {
    super(EXIT.failure, message)
  }
}

export const usageError = (message: string, hint?: string): CliError =>
  new CliError(EXIT.usage, message, hint)
