import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    alias: {
      summary: 'Domains pointed at a single deployment',
      examples: [['alias set shop-a1b2c3d4e.localhost shop.example.com', 'point a domain at a deployment']],
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
      summary: 'Point an alias at a deployment',
      load: () => import('./set.ts'),
    },
    {
      name: 'alias rm',
      summary: 'Remove an alias',
      load: () => import('./rm.ts'),
    },
  ],
}
