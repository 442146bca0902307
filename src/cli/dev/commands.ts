import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [{ name: 'dev', summary: 'Run a local development server', load: () => import('./dev.ts') }],
}
