import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    drains: {
      summary: 'Log drains',
      examples: [['drains add https://logs.example.com/in', 'send all log entries to a URL']],
    },
  },
  synonyms: { drain: 'drains', 'drains create': 'add' },
  commands: [
    { name: 'drains ls', summary: 'List log drains', load: () => import('./ls.ts') },
    {
      name: 'drains add',
      summary: 'Create a log drain',
      load: () => import('./add.ts'),
    },
    { name: 'drains rm', summary: 'Remove a log drain', load: () => import('./rm.ts') },
    {
      name: 'drains verify-code',
      summary: 'Show the code that verifies a log drain endpoint',
      load: () => import('./verify-code.ts'),
    },
  ],
}
