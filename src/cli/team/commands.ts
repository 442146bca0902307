import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    teams: {
      summary: 'Teams and their members',
      examples: [
        ['teams create acme --name "Acme Inc."', 'a team'],
        ['teams members ls --team acme', 'who is in it'],
        ['teams switch acme', 'act for it from now on'],
      ],
    },
    'teams invitations': {
      summary: 'Who was invited and has not accepted yet',
      examples: [
        ['teams invitations ls --team acme', 'open invitations'],
        ['teams invitations rm jo@example.com --team acme', 'withdraw one'],
      ],
    },
    'teams members': {
      summary: 'Who belongs to a team, and as what',
      examples: [
        ['teams members add jo@example.com --team acme', 'add somebody'],
        ['teams members role jo@example.com owner --team acme', 'make them an owner'],
      ],
    },
  },
  synonyms: {
    'teams invitations revoke': 'rm',
    team: 'teams',
    'teams members invite': 'add',
    'teams add': 'create',
  },
  commands: [
    { name: 'teams ls', summary: 'List your teams', load: () => import('./ls.ts') },
    { name: 'teams create', summary: 'Make a team that you own', load: () => import('./create.ts') },
    { name: 'teams switch', summary: 'Act for a team from now on', load: () => import('./switch.ts') },
    {
      name: 'teams set',
      summary: 'Change the name of a team and what members may',
      load: () => import('./set.ts'),
    },
    {
      name: 'teams members ls',
      summary: 'List the members of a team',
      load: () => import('./members-ls.ts'),
    },
    {
      name: 'teams members add',
      summary: 'Add somebody to a team',
      load: () => import('./members-add.ts'),
    },
    {
      name: 'teams invitations ls',
      summary: 'List the invitations that nobody has accepted yet',
      load: () => import('./invitations-ls.ts'),
    },
    {
      name: 'teams invitations rm',
      summary: 'Withdraw an invitation',
      load: () => import('./invitations-rm.ts'),
    },
    {
      name: 'teams members role',
      summary: 'Change the role of a member',
      load: () => import('./members-role.ts'),
    },
    {
      name: 'teams members rm',
      summary: 'Remove a member from a team',
      load: () => import('./members-rm.ts'),
    },
  ],
}
