import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    tokens: {
      summary: 'Make and revoke API tokens',
      examples: [
        ['tokens create ci', 'a token that does not lapse'],
        ['tokens ls', 'your tokens, with their ids'],
      ],
    },
  },
  synonyms: { token: 'tokens' },
  commands: [
    {
      name: 'tokens create',
      summary: 'Make a token and print its value, this once',
      load: () => import('./create.ts'),
    },
    { name: 'tokens ls', summary: 'List your tokens', load: () => import('./ls.ts') },
    { name: 'tokens rm', summary: 'Revoke a token', load: () => import('./rm.ts') },
  ],
}
