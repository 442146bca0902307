import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    teams: {
      summary: 'Teams and their members',
      examples: [
        ['teams create acme --name "Acme Inc."', 'create a team'],
        ['teams members ls --team acme', 'list the members of a team'],
        ['teams switch acme', 'make it the default account'],
      ],
    },
    'teams invitations': {
      summary: 'Pending invitations of a team',
      examples: [
        ['teams invitations ls --team acme', 'list pending invitations'],
        ['teams invitations rm jo@example.com --team acme', 'withdraw an invitation'],
      ],
    },
    'teams members': {
      summary: 'Members of a team and their roles',
      examples: [
        ['teams members add jo@example.com --team acme', 'add a member'],
        ['teams members role jo@example.com owner --team acme', 'change their role to OWNER'],
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
    { name: 'teams create', summary: 'Create a team', load: () => import('./create.ts') },
    {
      name: 'teams switch',
      summary: 'Switch the default account to a team',
      load: () => import('./switch.ts'),
    },
    {
      name: 'teams set',
      summary: 'Change the name and permissions of a team',
      load: () => import('./set.ts'),
    },
    {
      name: 'teams members ls',
      summary: 'List the members of a team',
      load: () => import('./members/ls.ts'),
    },
    {
      name: 'teams members add',
      summary: 'Add a member to a team',
      load: () => import('./members/add.ts'),
    },
    {
      name: 'teams invitations ls',
      summary: 'List pending invitations',
      load: () => import('./invitations/ls.ts'),
    },
    {
      name: 'teams invitations rm',
      summary: 'Withdraw an invitation',
      load: () => import('./invitations/rm.ts'),
    },
    {
      name: 'teams members role',
      summary: 'Change the role of a member',
      load: () => import('./members/role.ts'),
    },
    {
      name: 'teams members rm',
      summary: 'Remove a member from a team',
      load: () => import('./members/rm.ts'),
    },
  ],
}
