import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    releases: {
      summary: 'Rolling releases',
      examples: [
        ['releases set --stages 10:5m,50:10m', '10% for 5 minutes, 50% for 10 minutes, then everyone'],
        ['releases status', 'show the release of the linked project'],
      ],
    },
  },
  synonyms: {
    release: 'releases',
    'rolling-release': 'releases',
    rr: 'releases',
    'releases configure': 'set',
  },
  commands: [
    {
      name: 'releases status',
      summary: 'Show the current release and compare both deployments',
      load: () => import('./status.ts'),
    },
    {
      name: 'releases set',
      summary: 'Configure the stages of rolling releases',
      load: () => import('./set.ts'),
    },
    {
      name: 'releases off',
      summary: 'Disable rolling releases',
      load: () => import('./off.ts'),
    },
    {
      name: 'releases start',
      summary: 'Start a rolling release of a deployment',
      load: () => import('./start.ts'),
    },
    {
      name: 'releases approve',
      summary: 'Advance the release to the next stage',
      load: () => import('./approve.ts'),
    },
    {
      name: 'releases complete',
      summary: 'Complete the release immediately',
      load: () => import('./complete.ts'),
    },
    {
      name: 'releases abort',
      summary: 'Abort the release and restore the previous deployment',
      load: () => import('./abort.ts'),
    },
  ],
}
