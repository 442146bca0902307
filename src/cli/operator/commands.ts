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
    {
      name: 'operator status',
      summary: 'Show the components and resource usage of the installation',
      load: () => import('./status.ts'),
    },
    {
      name: 'operator doctor',
      summary: 'Check the installation and suggest fixes',
      load: () => import('./doctor/doctor.ts'),
    },
    {
      name: 'operator restart',
      summary: 'Restart the server without downtime',
      load: () => import('./restart.ts'),
    },
    {
      name: 'operator backup',
      summary: 'Back up everything to one file while the server runs',
      load: () => import('./backup.ts'),
    },
    {
      name: 'operator restore',
      summary: 'Restore a backup into an empty data folder',
      load: () => import('./restore.ts'),
    },
    {
      name: 'operator accounts ls',
      summary: 'List the accounts of users and teams',
      load: () => import('./accounts/ls.ts'),
    },
    {
      name: 'operator accounts get',
      summary: 'Show an account',
      load: () => import('./accounts/get.ts'),
    },
    {
      name: 'operator accounts set',
      summary: 'Change the plan of an account, or block or unblock it',
      load: () => import('./accounts/set.ts'),
    },
    {
      name: 'operator accounts quotas',
      summary: 'Show the usage of an account, or change its quotas',
      load: () => import('./accounts/quotas.ts'),
    },
    {
      name: 'operator quotas ls',
      summary: 'List the quotas of each plan',
      load: () => import('./quotas/ls.ts'),
    },
    {
      name: 'operator quotas set',
      summary: 'Change the quotas of a plan',
      load: () => import('./quotas/set.ts'),
    },
    {
      name: 'operator machines',
      summary: 'List the machines of the installation',
      load: () => import('./machines.ts'),
    },
    {
      name: 'operator join',
      summary: 'Invite a machine to join the installation',
      load: () => import('./join.ts'),
    },
    {
      name: 'operator drain',
      summary: 'Drain a machine before stopping it',
      load: () => import('./drain.ts'),
    },
    {
      name: 'operator remove-machine',
      summary: 'Remove a machine from the installation',
      load: () => import('./remove-machine.ts'),
    },
    {
      name: 'operator move-database',
      summary: 'Move from SQLite and disk to PostgreSQL and an object store, or back to SQLite',
      load: () => import('./move-database.ts'),
    },
    {
      name: 'operator move-content',
      summary: 'Move file contents between disk and object store',
      load: () => import('./move-content.ts'),
    },
    {
      name: 'operator jobs ls',
      summary: 'List recurring jobs and the queue',
      load: () => import('./jobs/ls.ts'),
    },
    {
      name: 'operator jobs run',
      summary: 'Run a job now',
      load: () => import('./jobs/run.ts'),
    },
    {
      name: 'operator jobs failed',
      summary: 'List dead jobs',
      load: () => import('./jobs/failed.ts'),
    },
    {
      name: 'operator jobs retry',
      summary: 'Retry dead jobs',
      load: () => import('./jobs/retry.ts'),
    },
    {
      name: 'operator jobs rm',
      summary: 'Delete dead jobs',
      load: () => import('./jobs/rm.ts'),
    },
  ],
}
