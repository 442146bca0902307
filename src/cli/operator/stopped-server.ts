import { CliError, EXIT } from '../exit.ts'

/** What commands that work on the data folder themselves say of mistakes that the operator can mend. */
const KNOWN = new Set(['RestoreError', 'MoveError', 'ConfigError', 'MasterKeyError'])

export function explained(error: unknown): unknown {
  const { name, message, hint } = error as Error & { hint?: string }
  return KNOWN.has(name) ? new CliError(EXIT.failure, message, hint) : error
}
