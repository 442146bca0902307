import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    apps: {
      summary: 'Applications for other accounts to install',
      examples: [
        [
          'apps create --name Watcher --redirect-uri https://watcher.example/back --scope deployment:read',
          'register an application',
        ],
        ['apps ls', 'list the applications you registered'],
      ],
    },
  },
  synonyms: { app: 'apps' },
  commands: [
    {
      name: 'apps create',
      summary: 'Register an application and print its secret once',
      load: () => import('./create.ts'),
    },
    { name: 'apps ls', summary: 'List applications', load: () => import('./ls.ts') },
    { name: 'apps set', summary: 'Change an application', load: () => import('./set.ts') },
    {
      name: 'apps rotate-secret',
      summary: 'Replace the secret of an application',
      load: () => import('./rotate-secret.ts'),
    },
    {
      name: 'apps rm',
      summary: 'Delete an application and all its installations',
      load: () => import('./rm.ts'),
    },
  ],
}
