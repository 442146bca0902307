import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [['usage', 'Show the usage and quotas of the account', () => import('./usage.ts')]],
}
