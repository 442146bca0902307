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
    ['alias ls', 'List aliases', () => import('./ls.ts')],
    ['alias set', 'Point an alias at a deployment', () => import('./set.ts')],
    ['alias rm', 'Remove an alias', () => import('./rm.ts')],
  ],
}
