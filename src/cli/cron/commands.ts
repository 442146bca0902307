import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    crons: {
      summary: 'Paths that are requested on a schedule',
      examples: [
        ['crons ls', 'the schedules of the linked project'],
        ['crons add /api/nightly "0 5 * * *"', 'another one'],
      ],
    },
  },
  synonyms: { cron: 'crons', 'crons create': 'add' },
  commands: [
    { name: 'crons ls', summary: 'List schedules and their last runs', load: () => import('./ls.ts') },
    { name: 'crons add', summary: 'Request a path on a schedule', load: () => import('./add.ts') },
    { name: 'crons set', summary: 'Change a schedule', load: () => import('./set.ts') },
    { name: 'crons pause', summary: 'Pause a schedule', load: () => import('./pause.ts') },
    { name: 'crons resume', summary: 'Resume a schedule', load: () => import('./resume.ts') },
    { name: 'crons run', summary: 'Run a schedule now', load: () => import('./run.ts') },
    { name: 'crons runs', summary: 'Show what became of the last runs', load: () => import('./runs.ts') },
    { name: 'crons rm', summary: 'Remove a schedule', load: () => import('./rm.ts') },
  ],
}
