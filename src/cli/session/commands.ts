import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    {
      name: 'login',
      summary: 'Log in with an email link',
      load: () => import('./login.ts'),
    },
    {
      name: 'logout',
      summary: 'Log out and revoke the stored token',
      load: () => import('./logout.ts'),
    },
    {
      name: 'whoami',
      summary: 'Show the current user and account',
      load: () => import('./whoami.ts'),
    },
  ],
}
