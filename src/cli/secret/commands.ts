import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    secrets: {
      summary: 'Values that variables can refer to',
      examples: [['secrets add db-password', 'ask for the value, then store it']],
    },
  },
  synonyms: { secret: 'secrets' },
  commands: [
    {
      name: 'secrets ls',
      summary: 'List secrets, without their values',
      load: () => import('./ls.ts'),
    },
    {
      name: 'secrets add',
      summary: 'Store a secret, from stdin or asked for',
      load: () => import('./add.ts'),
    },
    {
      name: 'secrets rename',
      summary: 'Give a secret another name',
      load: () => import('./rename.ts'),
    },
    {
      name: 'secrets rm',
      summary: 'Delete a secret',
      load: () => import('./rm.ts'),
    },
  ],
}
