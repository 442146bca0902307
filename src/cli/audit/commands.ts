import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    audit: {
      summary: 'Audit log of the account',
      examples: [
        ['audit ls', 'show the latest changes'],
        ['audit ls --action DELETE', 'show deletions only'],
      ],
    },
  },
  commands: [['audit ls', 'Show the audit log, newest first', () => import('./ls.ts')]],
}
