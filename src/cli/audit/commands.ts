import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    audit: {
      summary: 'Who changed what in the account',
      examples: [
        ['audit ls', 'the newest changes'],
        ['audit ls --action DELETE', 'what was deleted'],
      ],
    },
  },
  commands: [
    { name: 'audit ls', summary: 'List who changed what, newest first', load: () => import('./ls.ts') },
  ],
}
