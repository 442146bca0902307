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
    ['crons ls', 'List schedules and their latest runs', () => import('./ls.ts')],
    ['crons add', 'Request a path on a schedule', () => import('./add.ts')],
    ['crons set', 'Change a schedule', () => import('./set.ts')],
    ['crons pause', 'Pause a schedule', () => import('./pause.ts')],
    ['crons resume', 'Resume a schedule', () => import('./resume.ts')],
    ['crons run', 'Run a schedule now', () => import('./run.ts')],
    ['crons runs', 'Show the latest runs of a schedule', () => import('./runs.ts')],
    ['crons rm', 'Remove a schedule', () => import('./rm.ts')],
  ],
}
