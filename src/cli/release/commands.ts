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
    ['releases status', 'Show the current release and compare both deployments', () => import('./status.ts')],
    ['releases set', 'Configure the stages of rolling releases', () => import('./set.ts')],
    ['releases off', 'Disable rolling releases', () => import('./off.ts')],
    ['releases start', 'Start a rolling release of a deployment', () => import('./start.ts')],
    ['releases approve', 'Advance the release to the next stage', () => import('./approve.ts')],
    ['releases complete', 'Complete the release immediately', () => import('./complete.ts')],
    ['releases abort', 'Abort the release and restore the previous deployment', () => import('./abort.ts')],
  ],
}
