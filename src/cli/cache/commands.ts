import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    cache: {
      summary: 'Answers that are kept for all visitors',
      examples: [['cache purge --tag posts', 'have them made anew']],
    },
  },
  commands: [
    { name: 'cache purge', summary: 'Have kept answers made anew', load: () => import('./purge.ts') },
  ],
}
