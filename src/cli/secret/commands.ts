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
    ['secrets ls', 'List secrets', () => import('./ls.ts')],
    ['secrets add', 'Create a secret', () => import('./add.ts')],
    ['secrets rename', 'Rename a secret', () => import('./rename.ts')],
    ['secrets rm', 'Delete a secret', () => import('./rm.ts')],
  ],
}
