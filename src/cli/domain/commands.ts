import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    domains: {
      summary: 'Custom domains',
      examples: [
        ['domains add example.com', 'add a domain and see how to verify it'],
        ['domains attach example.com shop', 'serve a project from a domain'],
        ['domains inspect example.com', 'check its DNS and see what to do next'],
      ],
    },
  },
  synonyms: { domain: 'domains' },
  commands: [
    ['domains ls', 'List domains', () => import('./ls.ts')],
    ['domains add', 'Add a domain', () => import('./add.ts')],
    ['domains verify', 'Verify ownership of a domain', () => import('./verify.ts')],
    ['domains inspect', 'Check the DNS records of a domain', () => import('./inspect.ts')],
    ['domains attach', 'Attach a domain to a project', () => import('./attach.ts')],
    ['domains detach', 'Detach a domain from a project', () => import('./detach.ts')],
    ['domains set', 'Change what a project domain serves', () => import('./set.ts')],
    ['domains price', 'Show the price of a domain', () => import('./price.ts')],
    ['domains buy', 'Buy a domain', () => import('./buy.ts')],
    ['domains transfer-in', 'Transfer a domain in from another registrar', () => import('./transfer-in.ts')],
    ['domains rm', 'Remove a domain', () => import('./rm.ts')],
  ],
}
