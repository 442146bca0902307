import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    git: {
      summary: 'Deployments by pushing to a repository',
      examples: [
        ['git connect https://github.com/me/site.git', 'deploy what is pushed there'],
        ['git deliveries', 'every push, and what came of it'],
      ],
    },
    hooks: {
      summary: 'Addresses that deploy a branch',
      examples: [['hooks add cms main', 'an address for a content system']],
    },
  },
  synonyms: { hook: 'hooks', 'hooks create': 'add', 'git pushes': 'deliveries' },
  commands: [
    {
      name: 'git connect',
      summary: 'Deploy what is pushed to a repository elsewhere',
      load: () => import('./connect.ts'),
    },
    {
      name: 'git disconnect',
      summary: 'Deploy from it no more',
      load: () => import('./disconnect.ts'),
    },
    {
      name: 'git deliveries',
      summary: 'List pushes, with what came of each',
      load: () => import('./deliveries.ts'),
    },
    {
      name: 'git approve',
      summary: 'Deploy a pull request from a fork',
      load: () => import('./approve.ts'),
    },
    {
      name: 'git run-again',
      summary: 'Deploy a push once more',
      load: () => import('./run-again.ts'),
    },
    {
      name: 'hooks ls',
      summary: 'List deploy hooks',
      load: () => import('../hook/ls.ts'),
    },
    {
      name: 'hooks add',
      summary: 'Make an address that deploys a branch',
      load: () => import('../hook/add.ts'),
    },
    {
      name: 'hooks rm',
      summary: 'Revoke a deploy hook',
      load: () => import('../hook/rm.ts'),
    },
  ],
}
