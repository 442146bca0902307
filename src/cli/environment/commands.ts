import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    environments: {
      summary: 'Custom environments, such as staging',
      examples: [
        ['environments ls', 'list the environments of the linked project'],
        ['environments add staging --branch staging', 'deploy pushes to the staging branch to it'],
        ['deploy --target staging', 'deploy to it'],
      ],
    },
  },
  synonyms: { environment: 'environments', target: 'environments', targets: 'environments' },
  commands: [
    ['environments ls', 'List the environments of a project', () => import('./ls.ts')],
    ['environments add', 'Add an environment', () => import('./add.ts')],
    ['environments set', 'Change an environment', () => import('./set.ts')],
    ['environments rm', 'Delete an environment', () => import('./rm.ts')],
  ],
}
