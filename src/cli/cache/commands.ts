import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    cache: {
      summary: 'Cached responses',
      examples: [['cache purge --tag posts', 'purge all responses with a tag']],
    },
  },
  commands: [['cache purge', 'Purge cached responses', () => import('./purge.ts')]],
}
