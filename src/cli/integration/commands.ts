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
    {
      name: 'integrations ls',
      summary: 'List installed applications',
      load: () => import('./ls.ts'),
    },
    {
      name: 'integrations inspect',
      summary: 'Show the permissions of an installed application',
      load: () => import('./inspect.ts'),
    },
    {
      name: 'integrations projects',
      summary: 'Choose the projects an application can access',
      load: () => import('./projects.ts'),
    },
    {
      name: 'integrations confirm',
      summary: 'Approve additional permissions of an application',
      load: () => import('./confirm.ts'),
    },
    {
      name: 'integrations transfer',
      summary: 'Transfer an installed application to another OWNER',
      load: () => import('./transfer.ts'),
    },
    {
      name: 'integrations rm',
      summary: 'Remove an installed application',
      load: () => import('./rm.ts'),
    },
  ],
}
