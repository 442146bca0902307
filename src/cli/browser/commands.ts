import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    sessions: {
      summary: 'Browsers in which you are signed in',
      examples: [
        ['sessions ls', 'where you are signed in'],
        ['sessions rm --all', 'sign out everywhere'],
      ],
    },
  },
  synonyms: { session: 'sessions' },
  commands: [
    {
      name: 'sessions ls',
      summary: 'List the browsers in which you are signed in',
      load: () => import('./ls.ts'),
    },
    { name: 'sessions rm', summary: 'Sign a browser out', load: () => import('./rm.ts') },
  ],
}
