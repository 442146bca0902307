import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    integrations: {
      summary: 'Applications that are installed in the account',
      examples: [
        ['integrations ls', 'what is installed'],
        ['integrations rm icfg_3f9a1c0b7d2e', 'remove one, with its tokens'],
      ],
    },
  },
  synonyms: { integration: 'integrations' },
  commands: [
    {
      name: 'integrations ls',
      summary: 'List the applications that are installed',
      load: () => import('./ls.ts'),
    },
    {
      name: 'integrations inspect',
      summary: 'Show what an installed application may touch',
      load: () => import('./inspect.ts'),
    },
    {
      name: 'integrations projects',
      summary: 'Choose the projects that it may touch',
      load: () => import('./projects.ts'),
    },
    {
      name: 'integrations confirm',
      summary: 'Agree to what it asks for besides',
      load: () => import('./confirm.ts'),
    },
    {
      name: 'integrations transfer',
      summary: 'Make another OWNER of the team answer for it',
      load: () => import('./transfer.ts'),
    },
    {
      name: 'integrations rm',
      summary: 'Remove an installed application',
      load: () => import('./rm.ts'),
    },
  ],
}
