import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    webhooks: {
      summary: 'Addresses that are told of events',
      examples: [
        ['webhooks add https://example.com/hook deployment.ready', 'tell of deployments'],
        ['webhooks deliveries hook_4kTbb1xPBoTqRCUt', 'what was sent, and the answers'],
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
      summary: 'Have events sent to an address',
      load: () => import('./add.ts'),
    },
    {
      name: 'webhooks set',
      summary: 'Change a webhook, or switch one on again',
      load: () => import('./set.ts'),
    },
    {
      name: 'webhooks rm',
      summary: 'Remove a webhook',
      load: () => import('./rm.ts'),
    },
    {
      name: 'webhooks deliveries',
      summary: 'List what was sent to a webhook',
      load: () => import('./deliveries.ts'),
    },
    {
      name: 'webhooks delivery',
      summary: 'Show exactly what was sent',
      load: () => import('./delivery.ts'),
    },
    {
      name: 'webhooks redeliver',
      summary: 'Send an event again',
      load: () => import('./redeliver.ts'),
    },
  ],
}
