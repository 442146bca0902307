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
    ['projects ls', 'List projects', () => import('./ls.ts')],
    ['projects add', 'Create a project', () => import('./add.ts')],
    ['projects inspect', 'Show a project and its settings', () => import('./inspect.ts')],
    ['projects logs', 'Show or follow the log of all deployments of a project', () => import('./logs.ts')],
    ['analytics', 'Show requests, errors and latency of a project', () => import('./analytics.ts')],
    [
      'projects analytics',
      'Show requests, errors and latency of a project',
      async () => {
        const { command } = await import('./analytics.ts')
        const examples = command.examples.map(([line, says]) => [`projects ${line}`, says] as const)
        return { command: { ...command, examples } }
      },
    ],
    ['projects domains', 'List the domains of a project', () => import('./domains.ts')],
    ['projects rename', 'Rename a project', () => import('./rename.ts')],
    ['projects set', 'Change the settings of a project', () => import('./set.ts')],
    ['projects protect', 'Restrict who can visit a project', () => import('./protect.ts')],
    ['projects bypass ls', 'List automation bypass secrets', () => import('./bypass/ls.ts')],
    ['projects bypass add', 'Create an automation bypass secret', () => import('./bypass/add.ts')],
    ['projects bypass rm', 'Revoke an automation bypass secret', () => import('./bypass/rm.ts')],
    ['projects transfer', 'Transfer a project to another account', () => import('./transfer.ts')],
    ['projects accept', 'Accept a project transfer', () => import('./accept.ts')],
    ['projects rm', 'Delete a project and its deployments', () => import('./rm.ts')],
  ],
}
