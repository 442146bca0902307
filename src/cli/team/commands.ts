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
    ['teams ls', 'List your teams', () => import('./ls.ts')],
    ['teams create', 'Create a team', () => import('./create.ts')],
    ['teams switch', 'Switch the default account to a team', () => import('./switch.ts')],
    ['teams set', 'Change the name and permissions of a team', () => import('./set.ts')],
    ['teams members ls', 'List the members of a team', () => import('./members/ls.ts')],
    ['teams members add', 'Add a member to a team', () => import('./members/add.ts')],
    ['teams invitations ls', 'List pending invitations', () => import('./invitations/ls.ts')],
    ['teams invitations rm', 'Withdraw an invitation', () => import('./invitations/rm.ts')],
    ['teams members role', 'Change the role of a member', () => import('./members/role.ts')],
    ['teams members rm', 'Remove a member from a team', () => import('./members/rm.ts')],
  ],
}
