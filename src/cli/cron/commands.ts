import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    crons: {
      summary: 'Scheduled jobs of a project',
      examples: [
        ['crons ls', 'list the schedules of the linked project'],
        ['crons add /api/nightly "0 5 * * *"', 'request a path every day at 05:00 UTC'],
      ],
    },
  },
  synonyms: { cron: 'crons', 'crons create': 'add' },
  commands: [
    { name: 'crons ls', summary: 'List schedules and their latest runs', load: () => import('./ls.ts') },
    { name: 'crons add', summary: 'Request a path on a schedule', load: () => import('./add.ts') },
    { name: 'crons set', summary: 'Change a schedule', load: () => import('./set.ts') },
    { name: 'crons pause', summary: 'Pause a schedule', load: () => import('./pause.ts') },
    { name: 'crons resume', summary: 'Resume a schedule', load: () => import('./resume.ts') },
    { name: 'crons run', summary: 'Run a schedule now', load: () => import('./run.ts') },
    { name: 'crons runs', summary: 'Show the latest runs of a schedule', load: () => import('./runs.ts') },
    { name: 'crons rm', summary: 'Remove a schedule', load: () => import('./rm.ts') },
  ],
}
