import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    git: {
      summary: 'Git deployments',
      examples: [
        ['git connect https://github.com/me/site.git', 'deploy pushes to a repository'],
        ['git deliveries', 'list pushes and their deployments'],
      ],
    },
    'git hosts': {
      summary: 'Connected Git hosts',
      examples: [['git hosts add github', 'connect GitHub with an access token']],
    },
    hooks: {
      summary: 'Deploy hooks',
      examples: [['hooks add cms main', 'create a deploy hook for a CMS']],
    },
  },
  synonyms: {
    hook: 'hooks',
    'hooks create': 'add',
    'git pushes': 'deliveries',
    'git hosts create': 'add',
    'git repositories': 'repos',
  },
  commands: [
    {
      name: 'git connect',
      summary: 'Connect a Git repository',
      load: () => import('./connect.ts'),
    },
    {
      name: 'git disconnect',
      summary: 'Disconnect the Git repository',
      load: () => import('./disconnect.ts'),
    },
    {
      name: 'git repos',
      summary: 'List repositories of a connected Git host',
      load: () => import('./repos.ts'),
    },
    {
      name: 'git hosts ls',
      summary: 'List connected Git hosts',
      load: () => import('./hosts/ls.ts'),
    },
    {
      name: 'git hosts add',
      summary: 'Connect a Git host',
      load: () => import('./hosts/add.ts'),
    },
    {
      name: 'git hosts rm',
      summary: 'Remove a connected Git host',
      load: () => import('./hosts/rm.ts'),
    },
    {
      name: 'git deliveries',
      summary: 'List pushes and their results',
      load: () => import('./deliveries.ts'),
    },
    {
      name: 'git approve',
      summary: 'Approve a pull request from a fork',
      load: () => import('./approve.ts'),
    },
    {
      name: 'git run-again',
      summary: 'Deploy a push again',
      load: () => import('./run-again.ts'),
    },
    {
      name: 'hooks ls',
      summary: 'List deploy hooks',
      load: () => import('../hook/ls.ts'),
    },
    {
      name: 'hooks add',
      summary: 'Create a deploy hook',
      load: () => import('../hook/add.ts'),
    },
    {
      name: 'hooks rm',
      summary: 'Revoke a deploy hook',
      load: () => import('../hook/rm.ts'),
    },
  ],
}
