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
    ['apps create', 'Register an application and print its secret once', () => import('./create.ts')],
    ['apps ls', 'List applications', () => import('./ls.ts')],
    ['apps set', 'Change an application', () => import('./set.ts')],
    ['apps rotate-secret', 'Replace the secret of an application', () => import('./rotate-secret.ts')],
    ['apps rm', 'Delete an application and all its installations', () => import('./rm.ts')],
  ],
}
