import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    { name: 'server', summary: 'Run the platform on this machine', load: () => import('./server.ts') },
    {
      name: 'join',
      summary: 'Join this machine to an installation',
      load: () => import('./join.ts'),
    },
  ],
}
