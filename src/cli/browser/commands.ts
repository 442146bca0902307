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
    ['sessions ls', 'List your browser sessions', () => import('./ls.ts')],
    ['sessions rm', 'Sign out of a browser session', () => import('./rm.ts')],
  ],
}
