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
    {
      name: 'domains ls',
      summary: 'List domains',
      load: () => import('./ls.ts'),
    },
    {
      name: 'domains add',
      summary: 'Add a domain',
      load: () => import('./add.ts'),
    },
    {
      name: 'domains verify',
      summary: 'Verify ownership of a domain',
      load: () => import('./verify.ts'),
    },
    {
      name: 'domains inspect',
      summary: 'Check the DNS records of a domain',
      load: () => import('./inspect.ts'),
    },
    {
      name: 'domains attach',
      summary: 'Attach a domain to a project',
      load: () => import('./attach.ts'),
    },
    {
      name: 'domains detach',
      summary: 'Detach a domain from a project',
      load: () => import('./detach.ts'),
    },
    {
      name: 'domains set',
      summary: 'Change what a project domain serves',
      load: () => import('./set.ts'),
    },
    {
      name: 'domains price',
      summary: 'Show the price of a domain',
      load: () => import('./price.ts'),
    },
    {
      name: 'domains buy',
      summary: 'Buy a domain',
      load: () => import('./buy.ts'),
    },
    {
      name: 'domains transfer-in',
      summary: 'Transfer a domain in from another registrar',
      load: () => import('./transfer-in.ts'),
    },
    {
      name: 'domains rm',
      summary: 'Remove a domain',
      load: () => import('./rm.ts'),
    },
  ],
}
