import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    {
      name: 'completion',
      summary: 'Print the completion script for a shell',
      load: () => import('./completion.ts'),
    },
  ],
}
