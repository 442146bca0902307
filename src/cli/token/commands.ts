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
    {
      name: 'tokens create',
      summary: 'Create a token and print its value once',
      load: () => import('./create.ts'),
    },
    { name: 'tokens ls', summary: 'List your tokens', load: () => import('./ls.ts') },
    { name: 'tokens rm', summary: 'Revoke a token', load: () => import('./rm.ts') },
  ],
}
