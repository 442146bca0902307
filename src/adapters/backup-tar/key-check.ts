import { createHmac } from 'node:crypto'

/** The same for the same key, and of no use for finding it. */
export const keyCheckOf = (masterKey: Buffer): string =>
  createHmac('sha256', masterKey).update('aloft backup').digest('hex').slice(0, 32)
