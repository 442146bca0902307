import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    tokens: {
      summary: 'API tokens',
      examples: [
        ['tokens create ci', 'create a token that never expires'],
        ['tokens ls', 'list your tokens and their ids'],
      ],
    },
  },
  synonyms: { token: 'tokens' },
  commands: [
    ['tokens create', 'Create a token and print its value once', () => import('./create.ts')],
    ['tokens ls', 'List your tokens', () => import('./ls.ts')],
    ['tokens rm', 'Revoke a token', () => import('./rm.ts')],
  ],
}
