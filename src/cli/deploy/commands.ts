import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [{ name: 'deploy', summary: 'Deploy a folder', load: () => import('./deploy.ts') }],
}
