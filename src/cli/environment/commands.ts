import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    environments: {
      summary: 'Environments beside production and previews, such as staging',
      examples: [
        ['environments ls', 'those of the linked project'],
        ['environments add staging --branch staging', 'pushes of the branch staging go there'],
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
