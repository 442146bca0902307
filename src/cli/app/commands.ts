import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    apps: {
      summary: 'Applications that accounts can install',
      examples: [
        [
          'apps create --name Watcher --redirect-uri https://watcher.example/back --scope deployment:read',
          'register one',
        ],
        ['apps ls', 'what you have registered'],
      ],
    },
  },
  synonyms: { app: 'apps' },
  commands: [
    {
      name: 'apps create',
      summary: 'Register an application and print its secret, this once',
      load: () => import('./create.ts'),
    },
    { name: 'apps ls', summary: 'List applications', load: () => import('./ls.ts') },
    { name: 'apps set', summary: 'Change an application', load: () => import('./set.ts') },
    {
      name: 'apps rotate-secret',
      summary: 'Give an application a new secret',
      load: () => import('./rotate-secret.ts'),
    },
    {
      name: 'apps rm',
      summary: 'Remove an application, also wherever it is installed',
      load: () => import('./rm.ts'),
    },
  ],
}
