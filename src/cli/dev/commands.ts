import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [{ name: 'dev', summary: 'Serve a folder on this machine', load: () => import('./dev.ts') }],
}
