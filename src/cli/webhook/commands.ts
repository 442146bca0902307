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
    ['webhooks ls', 'List webhooks', () => import('./ls.ts')],
    ['webhooks add', 'Create a webhook', () => import('./add.ts')],
    ['webhooks set', 'Change or re-enable a webhook', () => import('./set.ts')],
    ['webhooks rm', 'Remove a webhook', () => import('./rm.ts')],
    ['webhooks deliveries', 'List deliveries of a webhook', () => import('./deliveries.ts')],
    ['webhooks delivery', 'Show a delivery in full', () => import('./delivery.ts')],
    ['webhooks redeliver', 'Redeliver an event', () => import('./redeliver.ts')],
  ],
}
