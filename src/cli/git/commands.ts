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
    ['git connect', 'Connect a Git repository', () => import('./connect.ts')],
    ['git disconnect', 'Disconnect the Git repository', () => import('./disconnect.ts')],
    ['git repos', 'List repositories of a connected Git host', () => import('./repos.ts')],
    ['git hosts ls', 'List connected Git hosts', () => import('./hosts/ls.ts')],
    ['git hosts add', 'Connect a Git host', () => import('./hosts/add.ts')],
    ['git hosts rm', 'Remove a connected Git host', () => import('./hosts/rm.ts')],
    ['git deliveries', 'List pushes and their results', () => import('./deliveries.ts')],
    ['git approve', 'Approve a pull request from a fork', () => import('./approve.ts')],
    ['git run-again', 'Deploy a push again', () => import('./run-again.ts')],
    ['hooks ls', 'List deploy hooks', () => import('../hook/ls.ts')],
    ['hooks add', 'Create a deploy hook', () => import('../hook/add.ts')],
    ['hooks rm', 'Revoke a deploy hook', () => import('../hook/rm.ts')],
  ],
}
