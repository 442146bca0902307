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
    ['drains ls', 'List log drains', () => import('./ls.ts')],
    ['drains add', 'Create a log drain', () => import('./add.ts')],
    ['drains rm', 'Remove a log drain', () => import('./rm.ts')],
    [
      'drains verify-code',
      'Show the code that verifies a log drain endpoint',
      () => import('./verify-code.ts'),
    ],
  ],
}
