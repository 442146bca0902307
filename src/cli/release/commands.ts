import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    releases: {
      summary: 'New deployments that reach visitors step by step',
      examples: [
        ['releases set --stages 10:5m,50:10m', 'a tenth for five minutes, then half, then everybody'],
        ['releases status', 'how far the release of the linked project is'],
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
      summary: 'Show the release under way, and both deployments beside each other',
      load: () => import('./status.ts'),
    },
    { name: 'releases set', summary: 'Set the stages of releases', load: () => import('./set.ts') },
    {
      name: 'releases off',
      summary: 'Have new deployments reach everybody at once again',
      load: () => import('./off.ts'),
    },
    { name: 'releases start', summary: 'Start a release of a deployment', load: () => import('./start.ts') },
    { name: 'releases approve', summary: 'Go on to the next stage', load: () => import('./approve.ts') },
    {
      name: 'releases complete',
      summary: 'Show the new deployment to everybody now',
      load: () => import('./complete.ts'),
    },
    {
      name: 'releases abort',
      summary: 'Show what was live before to everybody',
      load: () => import('./abort.ts'),
    },
  ],
}
