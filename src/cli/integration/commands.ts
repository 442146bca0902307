import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    integrations: {
      summary: 'Applications installed in the account',
      examples: [
        ['integrations ls', 'list the installed applications'],
        ['integrations rm icfg_3f9a1c0b7d2e', 'remove an application and its tokens'],
      ],
    },
  },
  synonyms: { integration: 'integrations' },
  commands: [
    ['integrations ls', 'List installed applications', () => import('./ls.ts')],
    [
      'integrations inspect',
      'Show the permissions of an installed application',
      () => import('./inspect.ts'),
    ],
    ['integrations projects', 'Choose the projects an application can access', () => import('./projects.ts')],
    [
      'integrations confirm',
      'Approve additional permissions of an application',
      () => import('./confirm.ts'),
    ],
    [
      'integrations transfer',
      'Transfer an installed application to another OWNER',
      () => import('./transfer.ts'),
    ],
    ['integrations rm', 'Remove an installed application', () => import('./rm.ts')],
  ],
}
