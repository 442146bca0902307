import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  commands: [
    { name: 'ls', summary: 'List deployments', load: () => import('./ls.ts') },
    { name: 'inspect', summary: 'Show a deployment', load: () => import('./inspect.ts') },
    {
      name: 'logs',
      summary: 'Read or follow the log of a deployment',
      load: () => import('./logs.ts'),
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
    { name: 'open', summary: 'Show a site, and open it', load: () => import('./open.ts') },
    {
      name: 'redeploy',
      summary: 'Deploy the same files again',
      load: () => import('./redeploy.ts'),
    },
    { name: 'cancel', summary: 'Cancel a build', load: () => import('./cancel.ts') },
    {
      name: 'promote',
      summary: 'Show a deployment in production',
      load: () => import('./promote.ts'),
    },
    {
      name: 'rollback',
      summary: 'Show an earlier deployment in production',
      load: () => import('./rollback.ts'),
    },
    {
      name: 'pause',
      summary: 'Pause the production of a project',
      load: () => import('./pause.ts'),
    },
    { name: 'unpause', summary: 'Let a paused project go on', load: () => import('./unpause.ts') },
    { name: 'rm', summary: 'Remove deployments', load: () => import('./rm.ts') },
    { name: 'link', summary: 'Link this folder to a project', load: () => import('./link.ts') },
    {
      name: 'unlink',
      summary: 'Forget which project this folder is linked to',
      load: () => import('./unlink.ts'),
    },
    {
      name: 'scale',
      summary: 'Set how many instances a deployment has',
      load: () => import('./scale.ts'),
    },
    {
      name: 'instances',
      summary: 'List the running instances of a deployment',
      load: () => import('./instances.ts'),
    },
  ],
}
