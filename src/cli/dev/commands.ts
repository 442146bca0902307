import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [['dev', 'Run a local development server', () => import('./dev.ts')]],
}
