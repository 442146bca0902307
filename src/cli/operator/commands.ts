import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    operator: {
      summary: 'Run this installation (operators only)',
      examples: [
        ['operator doctor', 'whether everything is as it should be'],
        ['operator backup', 'everything, in one file'],
        ['operator accounts set acme --plan pro', 'change a plan'],
      ],
    },
    'operator quotas': {
      summary: 'What accounts may use, by plan',
      examples: [
        ['operator quotas ls', 'all plans'],
        ['operator quotas set free contentBytes=2GB', 'change one'],
      ],
    },
    'operator accounts': {
      summary: 'Plans and blocks of accounts',
      examples: [
        ['operator accounts get jo@example.com', 'by e-mail address, id or slug'],
        ['operator accounts set acme --block', 'from now on reads work and writes do not'],
      ],
    },
    'operator jobs': {
      summary: 'The jobs of this installation: recurring and failed ones',
      examples: [
        ['operator jobs run logins.clean-up', 'do not wait for its time'],
        ['operator jobs failed', 'what went wrong'],
      ],
    },
  },
  commands: [
    {
      name: 'operator status',
      summary: 'What the installation is made of, and what it uses',
      load: () => import('./status.ts'),
    },
    {
      name: 'operator doctor',
      summary: 'Look for what is not right, and say what to do about it',
      load: () => import('./doctor/doctor.ts'),
    },
    {
      name: 'operator restart',
      summary: 'Replace the processes of the server without refusing a connection',
      load: () => import('./restart.ts'),
    },
    {
      name: 'operator backup',
      summary: 'Save everything in one file, while the server runs',
      load: () => import('./backup.ts'),
    },
    {
      name: 'operator restore',
      summary: 'Put a backup into an empty data folder',
      load: () => import('./restore.ts'),
    },
    {
      name: 'operator accounts ls',
      summary: 'List the accounts of users and teams',
      load: () => import('./accounts-ls.ts'),
    },
    {
      name: 'operator accounts get',
      summary: 'Look up an account',
      load: () => import('./accounts-get.ts'),
    },
    {
      name: 'operator accounts set',
      summary: 'Change the plan of an account, block or unblock it',
      load: () => import('./accounts-set.ts'),
    },
    {
      name: 'operator accounts quotas',
      summary: 'Show what an account uses, and change what it may',
      load: () => import('./accounts-quotas.ts'),
    },
    {
      name: 'operator quotas ls',
      summary: 'List what each plan allows',
      load: () => import('./quotas-ls.ts'),
    },
    {
      name: 'operator quotas set',
      summary: 'Change what a plan allows',
      load: () => import('./quotas-set.ts'),
    },
    {
      name: 'operator machines',
      summary: 'List the machines of the installation',
      load: () => import('./machines.ts'),
    },
    {
      name: 'operator join',
      summary: 'Invite a machine to become part of the installation',
      load: () => import('./join.ts'),
    },
    {
      name: 'operator drain',
      summary: 'Give a machine nothing new, before it is stopped',
      load: () => import('./drain.ts'),
    },
    {
      name: 'operator move-content',
      summary: 'Move contents of files between the disk and an object store',
      load: () => import('./move-content.ts'),
    },
    {
      name: 'operator jobs ls',
      summary: 'List the jobs that can be run now, and the queue',
      load: () => import('./jobs-ls.ts'),
    },
    {
      name: 'operator jobs run',
      summary: 'Run a job now',
      load: () => import('./jobs-run.ts'),
    },
    {
      name: 'operator jobs failed',
      summary: 'List the jobs that failed for good',
      load: () => import('./jobs-failed.ts'),
    },
    {
      name: 'operator jobs retry',
      summary: 'Try failed jobs again',
      load: () => import('./jobs-retry.ts'),
    },
    {
      name: 'operator jobs rm',
      summary: 'Forget failed jobs',
      load: () => import('./jobs-rm.ts'),
    },
  ],
}
