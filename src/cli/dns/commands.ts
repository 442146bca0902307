import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    dns: {
      summary: 'DNS records of your domains',
      examples: [
        ['dns ls example.com', 'its records'],
        ['dns add example.com www A 192.0.2.1', 'another one'],
      ],
    },
  },
  commands: [
    {
      name: 'dns ls',
      summary: 'List the DNS records of a domain',
      load: () => import('./ls.ts'),
    },
    {
      name: 'dns add',
      summary: 'Add a DNS record',
      load: () => import('./add.ts'),
    },
    {
      name: 'dns import',
      summary: 'Add the records of a zone file',
      load: () => import('./import.ts'),
    },
    {
      name: 'dns rm',
      summary: 'Delete a DNS record',
      load: () => import('./rm.ts'),
    },
  ],
}
