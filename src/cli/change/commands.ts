import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [['changes', 'Follow changes in the account', () => import('./changes.ts')]],
}
