import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    {
      name: 'usage',
      summary: 'Show the usage and quotas of the account',
      load: () => import('./usage.ts'),
    },
  ],
}
