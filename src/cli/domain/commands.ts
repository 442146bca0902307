import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    domains: {
      summary: 'Domains of your own',
      examples: [
        ['domains add example.com', 'add one, and see how to verify it'],
        ['domains attach example.com shop', 'show a project there'],
        ['domains inspect example.com', 'what DNS says of it, and what to do next'],
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
      summary: 'Look for the proof that a domain is yours',
      load: () => import('./verify.ts'),
    },
    {
      name: 'domains inspect',
      summary: 'Say which DNS records of a domain are missing or wrong',
      load: () => import('./inspect.ts'),
    },
    {
      name: 'domains attach',
      summary: 'Show a project on a domain',
      load: () => import('./attach.ts'),
    },
    {
      name: 'domains detach',
      summary: 'Take a domain from a project',
      load: () => import('./detach.ts'),
    },
    {
      name: 'domains set',
      summary: 'Change what a domain of a project shows',
      load: () => import('./set.ts'),
    },
    {
      name: 'domains price',
      summary: 'Tell what a domain costs',
      load: () => import('./price.ts'),
    },
    {
      name: 'domains buy',
      summary: 'Buy a domain',
      load: () => import('./buy.ts'),
    },
    {
      name: 'domains transfer-in',
      summary: 'Move a domain here from another registrar',
      load: () => import('./transfer-in.ts'),
    },
    {
      name: 'domains rm',
      summary: 'Remove a domain',
      load: () => import('./rm.ts'),
    },
  ],
}
