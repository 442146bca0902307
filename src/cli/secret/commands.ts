import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    secrets: {
      summary: 'Secrets that variables can reference',
      examples: [['secrets add db-password', 'prompt for the value and store it']],
    },
  },
  synonyms: { secret: 'secrets' },
  commands: [
    {
      name: 'secrets ls',
      summary: 'List secrets',
      load: () => import('./ls.ts'),
    },
    {
      name: 'secrets add',
      summary: 'Create a secret',
      load: () => import('./add.ts'),
    },
    {
      name: 'secrets rename',
      summary: 'Rename a secret',
      load: () => import('./rename.ts'),
    },
    {
      name: 'secrets rm',
      summary: 'Delete a secret',
      load: () => import('./rm.ts'),
    },
  ],
}
