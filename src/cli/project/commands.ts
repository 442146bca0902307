import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    projects: {
      summary: 'Projects: what belongs to one site',
      examples: [
        ['projects ls', 'your projects'],
        ['projects inspect shop', 'one of them'],
        ['projects set shop --build-command "npm run site"', 'change how it is built'],
      ],
    },
    'projects bypass': {
      summary: 'Secrets with which programs pass the protection of a project',
      examples: [['projects bypass add shop', 'print a new one']],
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
      summary: 'Read or follow the log of all deployments of a project',
      load: () => import('./logs.ts'),
    },
    {
      name: 'projects analytics',
      summary: 'Show requests, errors and latency of a project',
      load: () => import('./analytics.ts'),
    },
    {
      name: 'projects domains',
      summary: 'List the domains of a project',
      load: () => import('./domains.ts'),
    },
    {
      name: 'projects rename',
      summary: 'Give a project another name',
      load: () => import('./rename.ts'),
    },
    {
      name: 'projects set',
      summary: 'Change how a project is built and shown',
      load: () => import('./set.ts'),
    },
    {
      name: 'projects protect',
      summary: 'Choose who may visit a project',
      load: () => import('./protect.ts'),
    },
    {
      name: 'projects bypass ls',
      summary: 'List the secrets with which programs pass the protection',
      load: () => import('./bypass-ls.ts'),
    },
    {
      name: 'projects bypass add',
      summary: 'Make such a secret and print it',
      load: () => import('./bypass-add.ts'),
    },
    {
      name: 'projects bypass rm',
      summary: 'Revoke such a secret',
      load: () => import('./bypass-rm.ts'),
    },
    {
      name: 'projects transfer',
      summary: 'Offer a project to another account',
      load: () => import('./transfer.ts'),
    },
    {
      name: 'projects accept',
      summary: 'Take a project that was offered',
      load: () => import('./accept.ts'),
    },
    {
      name: 'projects rm',
      summary: 'Delete a project with its deployments',
      load: () => import('./rm.ts'),
    },
  ],
}
