import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    webhooks: {
      summary: 'Webhooks',
      examples: [
        ['webhooks add https://example.com/hook deployment.ready', 'notify a URL when deployments are ready'],
        ['webhooks deliveries hook_4kTbb1xPBoTqRCUt', 'show requests and responses'],
      ],
    },
  },
  synonyms: { webhook: 'webhooks', 'webhooks create': 'add' },
  commands: [
    {
      name: 'webhooks ls',
      summary: 'List webhooks',
      load: () => import('./ls.ts'),
    },
    {
      name: 'webhooks add',
      summary: 'Create a webhook',
      load: () => import('./add.ts'),
    },
    {
      name: 'webhooks set',
      summary: 'Change or re-enable a webhook',
      load: () => import('./set.ts'),
    },
    {
      name: 'webhooks rm',
      summary: 'Remove a webhook',
      load: () => import('./rm.ts'),
    },
    {
      name: 'webhooks deliveries',
      summary: 'List deliveries of a webhook',
      load: () => import('./deliveries.ts'),
    },
    {
      name: 'webhooks delivery',
      summary: 'Show a delivery in full',
      load: () => import('./delivery.ts'),
    },
    {
      name: 'webhooks redeliver',
      summary: 'Redeliver an event',
      load: () => import('./redeliver.ts'),
    },
  ],
}
