import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    { name: 'changes', summary: 'Follow what changes in the account', load: () => import('./changes.ts') },
  ],
}
