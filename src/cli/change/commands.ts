import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    { name: 'changes', summary: 'Follow changes in the account', load: () => import('./changes.ts') },
  ],
}
