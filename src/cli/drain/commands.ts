import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    drains: {
      summary: 'Addresses that log entries are sent to',
      examples: [['drains add https://logs.example.com/in', 'send all entries there']],
    },
  },
  synonyms: { drain: 'drains', 'drains create': 'add' },
  commands: [
    { name: 'drains ls', summary: 'List log drains', load: () => import('./ls.ts') },
    {
      name: 'drains add',
      summary: 'Have log entries sent to an address',
      load: () => import('./add.ts'),
    },
    { name: 'drains rm', summary: 'Remove a log drain', load: () => import('./rm.ts') },
    {
      name: 'drains verify-code',
      summary: 'Tell what an address has to answer before entries are sent to it',
      load: () => import('./verify-code.ts'),
    },
  ],
}
