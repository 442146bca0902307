/**
 * `malformed`: not the text of a vault. `unknown_version`: sealed by a newer release. `refused`: changed,
 * sealed for another purpose or under another master key; which one cannot be told.
 */
export type VaultFault = 'malformed' | 'unknown_version' | 'refused'

const MESSAGES: Record<VaultFault, string> = {
  malformed: 'This is not a sealed text',
  unknown_version: 'The text was sealed in a form that this release does not know',
  refused: 'The text was changed, sealed for another purpose, or sealed under another master key',
}

export class VaultError extends Error {
  readonly fault: VaultFault

  constructor(fault: VaultFault) {
    super(MESSAGES[fault])
    this.name = 'VaultError'
    this.fault = fault
  }
}
