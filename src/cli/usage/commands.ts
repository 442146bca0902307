import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    {
      name: 'usage',
      summary: 'Show what the account uses of what it may',
      load: () => import('./usage.ts'),
    },
  ],
}
