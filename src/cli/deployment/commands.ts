import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  synonyms: { resume: 'unpause' },
  commands: [
    { name: 'ls', summary: 'List deployments', load: () => import('./ls.ts') },
    { name: 'inspect', summary: 'Show a deployment', load: () => import('./inspect.ts') },
    {
      name: 'logs',
      summary: 'Show or follow the log of a deployment',
      load: () => import('./log/logs.ts'),
    },
    {
      name: 'compare',
      summary: 'Show which files differ between two deployments',
      load: () => import('./compare.ts'),
    },
    {
      name: 'preview',
      summary: 'Save the preview image of a deployment',
      load: () => import('./preview.ts'),
    },
    { name: 'open', summary: 'Open a deployment in the browser', load: () => import('./open.ts') },
    {
      name: 'redeploy',
      summary: 'Redeploy the same files',
      load: () => import('./redeploy.ts'),
    },
    { name: 'cancel', summary: 'Cancel a build', load: () => import('./cancel.ts') },
    {
      name: 'promote',
      summary: 'Promote a deployment to production',
      load: () => import('./production/promote.ts'),
    },
    {
      name: 'rollback',
      summary: 'Roll production back to an earlier deployment',
      load: () => import('./production/rollback.ts'),
    },
    {
      name: 'pause',
      summary: 'Pause production of a project',
      load: () => import('./production/pause.ts'),
    },
    { name: 'unpause', summary: 'Resume a paused project', load: () => import('./production/unpause.ts') },
    { name: 'rm', summary: 'Remove deployments', load: () => import('./rm.ts') },
    { name: 'link', summary: 'Link this folder to a project', load: () => import('./link.ts') },
    {
      name: 'unlink',
      summary: 'Unlink this folder from its project',
      load: () => import('./unlink.ts'),
    },
    {
      name: 'scale',
      summary: 'Set the number of instances of a deployment',
      load: () => import('./scale.ts'),
    },
    {
      name: 'instances',
      summary: 'List the running instances of a deployment',
      load: () => import('./instances.ts'),
    },
  ],
}
