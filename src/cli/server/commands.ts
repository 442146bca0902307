import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    ['server', 'Run the platform on this machine', () => import('./server.ts')],
    ['join', 'Join this machine to an installation', () => import('./join.ts')],
  ],
}
