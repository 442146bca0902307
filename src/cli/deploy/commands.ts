import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [['deploy', 'Deploy a folder', () => import('./deploy.ts')]],
}
