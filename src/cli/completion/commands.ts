import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [['completion', 'Print the completion script for a shell', () => import('./completion.ts')]],
}
