import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  synonyms: { resume: 'unpause' },
  commands: [
    ['ls', 'List deployments', () => import('./ls.ts')],
    ['inspect', 'Show a deployment', () => import('./inspect.ts')],
    ['logs', 'Show or follow the log of a deployment', () => import('./log/logs.ts')],
    ['compare', 'Show which files differ between two deployments', () => import('./compare.ts')],
    ['preview', 'Save the preview image of a deployment', () => import('./preview.ts')],
    ['open', 'Open a deployment in the browser', () => import('./open.ts')],
    ['redeploy', 'Redeploy the same files', () => import('./redeploy.ts')],
    ['cancel', 'Cancel a build', () => import('./cancel.ts')],
    ['promote', 'Promote a deployment to production', () => import('./production/promote.ts')],
    ['rollback', 'Roll production back to an earlier deployment', () => import('./production/rollback.ts')],
    ['pause', 'Pause production of a project', () => import('./production/pause.ts')],
    ['unpause', 'Resume a paused project', () => import('./production/unpause.ts')],
    ['rm', 'Remove deployments', () => import('./rm.ts')],
    ['link', 'Link this folder to a project', () => import('./link.ts')],
    ['unlink', 'Unlink this folder from its project', () => import('./unlink.ts')],
    ['scale', 'Set the number of instances of a deployment', () => import('./scale.ts')],
    ['instances', 'List the running instances of a deployment', () => import('./instances.ts')],
  ],
}
