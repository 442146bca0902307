import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    {
      name: 'completion',
      summary: 'Write the completion for a shell',
      load: () => import('./completion.ts'),
    },
  ],
}
