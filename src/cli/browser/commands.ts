import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    sessions: {
      summary: 'Browser sessions',
      examples: [
        ['sessions ls', 'list your sessions'],
        ['sessions rm --all', 'sign out everywhere'],
      ],
    },
  },
  synonyms: { session: 'sessions' },
  commands: [
    {
      name: 'sessions ls',
      summary: 'List your browser sessions',
      load: () => import('./ls.ts'),
    },
    { name: 'sessions rm', summary: 'Sign out of a browser session', load: () => import('./rm.ts') },
  ],
}
