import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    operator: {
      summary: 'Operate this installation (operators only)',
      examples: [
        ['operator doctor', 'check the installation for problems'],
        ['operator backup', 'back up everything to one file'],
        ['operator accounts set acme --plan pro', 'change the plan of an account'],
      ],
    },
    'operator quotas': {
      summary: 'Quotas of each plan',
      examples: [
        ['operator quotas ls', 'list the quotas of all plans'],
        ['operator quotas set free contentBytes=2GB', 'change a quota'],
      ],
    },
    'operator accounts': {
      summary: 'Accounts of users and teams',
      examples: [
        ['operator accounts get jo@example.com', 'look up an account by email, id or slug'],
        ['operator accounts set acme --block', 'take the sites of an account offline and refuse changes'],
      ],
    },
    'operator jobs': {
      summary: 'Recurring and dead jobs',
      examples: [
        ['operator jobs run logins.clean-up', 'run it now instead of on schedule'],
        ['operator jobs failed', 'list dead jobs'],
      ],
    },
  },
  commands: [
    [
      'operator status',
      'Show the components and resource usage of the installation',
      () => import('./status.ts'),
    ],
    ['operator doctor', 'Check the installation and suggest fixes', () => import('./doctor/doctor.ts')],
    ['operator restart', 'Restart the server without downtime', () => import('./restart.ts')],
    ['operator backup', 'Back up everything to one file while the server runs', () => import('./backup.ts')],
    ['operator restore', 'Restore a backup into an empty data folder', () => import('./restore.ts')],
    ['operator accounts ls', 'List the accounts of users and teams', () => import('./accounts/ls.ts')],
    ['operator accounts get', 'Show an account', () => import('./accounts/get.ts')],
    [
      'operator accounts set',
      'Change the plan of an account, or block or unblock it',
      () => import('./accounts/set.ts'),
    ],
    [
      'operator accounts quotas',
      'Show the usage of an account, or change its quotas',
      () => import('./accounts/quotas.ts'),
    ],
    ['operator quotas ls', 'List the quotas of each plan', () => import('./quotas/ls.ts')],
    ['operator quotas set', 'Change the quotas of a plan', () => import('./quotas/set.ts')],
    ['operator machines', 'List the machines of the installation', () => import('./machines.ts')],
    ['operator join', 'Invite a machine to join the installation', () => import('./join.ts')],
    ['operator drain', 'Drain a machine before stopping it', () => import('./drain.ts')],
    [
      'operator remove-machine',
      'Remove a machine from the installation',
      () => import('./remove-machine.ts'),
    ],
    [
      'operator move-database',
      'Move from SQLite and disk to PostgreSQL and an object store, or back to SQLite',
      () => import('./move-database.ts'),
    ],
    [
      'operator move-content',
      'Move file contents between disk and object store',
      () => import('./move-content.ts'),
    ],
    ['operator jobs ls', 'List recurring jobs and the queue', () => import('./jobs/ls.ts')],
    ['operator jobs run', 'Run a job now', () => import('./jobs/run.ts')],
    ['operator jobs failed', 'List dead jobs', () => import('./jobs/failed.ts')],
    ['operator jobs retry', 'Retry dead jobs', () => import('./jobs/retry.ts')],
    ['operator jobs rm', 'Delete dead jobs', () => import('./jobs/rm.ts')],
  ],
}
