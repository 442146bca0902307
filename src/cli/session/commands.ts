import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    ['login', 'Log in with an email link', () => import('./login.ts')],
    ['logout', 'Log out and revoke the stored token', () => import('./logout.ts')],
    ['whoami', 'Show the current user and account', () => import('./whoami.ts')],
  ],
}
