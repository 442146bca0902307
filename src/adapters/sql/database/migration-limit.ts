import { MINUTE } from '#contract/time.ts'

// Apart from what migrates, because the supervisor reads this and has no use for the rest.

/** How long a process waits for another one that changes the schema, and how long such a change may be silent. */
export const MIGRATION_LIMIT = 30 * MINUTE
