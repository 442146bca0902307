import type { Locks } from '../ports/locks.ts'

/** Until the transaction ends, nobody else changes, removes or installs it. */
export const lockApplication = (locks: Locks, id: string): Promise<void> => locks.take('application', id)
