import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    {
      name: 'login',
      summary: 'Log in by a link in a mail',
      load: () => import('./login.ts'),
    },
    {
      name: 'logout',
      summary: 'Revoke the stored token and forget it',
      load: () => import('./logout.ts'),
    },
    {
      name: 'whoami',
      summary: 'Show who you are here',
      load: () => import('./whoami.ts'),
    },
  ],
}
