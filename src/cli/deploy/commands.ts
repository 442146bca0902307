import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [{ name: 'deploy', summary: 'Put a folder online', load: () => import('./deploy.ts') }],
}
