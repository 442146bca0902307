import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    alias: {
      summary: 'Hosts that show a deployment',
      examples: [['alias set shop-a1b2c3 shop.example.com', 'point a host to a deployment']],
    },
  },
  synonyms: { aliases: 'alias' },
  commands: [
    {
      name: 'alias ls',
      summary: 'List aliases',
      load: () => import('./ls.ts'),
    },
    {
      name: 'alias set',
      summary: 'Point an alias to a deployment',
      load: () => import('./set.ts'),
    },
    {
      name: 'alias rm',
      summary: 'Remove an alias',
      load: () => import('./rm.ts'),
    },
  ],
}
