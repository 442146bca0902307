import { accountRows } from './account.ts'
import { deploymentRows } from './deployment.ts'
import { domainRows } from './domain.ts'
import { fileRows } from './file.ts'
import { logRows } from './log.ts'
import { projectRows } from './project.ts'
import type { CompatRow } from './row.ts'
import { secretRows } from './secret.ts'

/** Every address that other clients know and that is more than another name. */
export const ROWS: readonly CompatRow[] = [
  ...accountRows,
  ...deploymentRows,
  ...fileRows,
  ...logRows,
  ...projectRows,
  ...domainRows,
  ...secretRows,
]
