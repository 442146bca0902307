import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    projects: {
      summary: 'Projects',
      examples: [
        ['projects ls', 'list your projects'],
        ['projects inspect shop', 'show a project'],
        ['projects set shop --build-command "npm run site"', 'change how it is built'],
      ],
    },
    'projects bypass': {
      summary: 'Automation bypass secrets',
      examples: [['projects bypass add shop', 'create a secret and print it']],
    },
  },
  synonyms: { project: 'projects', 'projects create': 'add' },
  commands: [
    {
      name: 'projects ls',
      summary: 'List projects',
      load: () => import('./ls.ts'),
    },
    {
      name: 'projects add',
      summary: 'Create a project',
      load: () => import('./add.ts'),
    },
    {
      name: 'projects inspect',
      summary: 'Show a project and its settings',
      load: () => import('./inspect.ts'),
    },
    {
      name: 'projects logs',
      summary: 'Show or follow the log of all deployments of a project',
      load: () => import('./logs.ts'),
    },
    {
      name: 'analytics',
      summary: 'Show requests, errors and latency of a project',
      load: () => import('./analytics.ts'),
    },
    {
      name: 'projects analytics',
      summary: 'Show requests, errors and latency of a project',
      load: async () => {
        const { command } = await import('./analytics.ts')
        const examples = command.examples.map(([line, says]) => [`projects ${line}`, says] as const)
        return { command: { ...command, examples } }
      },
    },
    {
      name: 'projects domains',
      summary: 'List the domains of a project',
      load: () => import('./domains.ts'),
    },
    {
      name: 'projects rename',
      summary: 'Rename a project',
      load: () => import('./rename.ts'),
    },
    {
      name: 'projects set',
      summary: 'Change the settings of a project',
      load: () => import('./set.ts'),
    },
    {
      name: 'projects protect',
      summary: 'Restrict who can visit a project',
      load: () => import('./protect.ts'),
    },
    {
      name: 'projects bypass ls',
      summary: 'List automation bypass secrets',
      load: () => import('./bypass/ls.ts'),
    },
    {
      name: 'projects bypass add',
      summary: 'Create an automation bypass secret',
      load: () => import('./bypass/add.ts'),
    },
    {
      name: 'projects bypass rm',
      summary: 'Revoke an automation bypass secret',
      load: () => import('./bypass/rm.ts'),
    },
    {
      name: 'projects transfer',
      summary: 'Transfer a project to another account',
      load: () => import('./transfer.ts'),
    },
    {
      name: 'projects accept',
      summary: 'Accept a project transfer',
      load: () => import('./accept.ts'),
    },
    {
      name: 'projects rm',
      summary: 'Delete a project and its deployments',
      load: () => import('./rm.ts'),
    },
  ],
}
