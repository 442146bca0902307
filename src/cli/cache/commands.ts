import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    cache: {
      summary: 'Cached responses',
      examples: [['cache purge --tag posts', 'purge all responses with a tag']],
    },
  },
  commands: [{ name: 'cache purge', summary: 'Purge cached responses', load: () => import('./purge.ts') }],
}
