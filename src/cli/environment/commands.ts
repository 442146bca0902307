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
    { name: 'environments ls', summary: 'List the environments of a project', load: () => import('./ls.ts') },
    { name: 'environments add', summary: 'Add an environment', load: () => import('./add.ts') },
    { name: 'environments set', summary: 'Change an environment', load: () => import('./set.ts') },
    { name: 'environments rm', summary: 'Delete an environment', load: () => import('./rm.ts') },
  ],
}
