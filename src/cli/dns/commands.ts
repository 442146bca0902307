import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    dns: {
      summary: 'DNS records of your domains',
      examples: [
        ['dns ls example.com', 'list the records of a domain'],
        ['dns add example.com www A 192.0.2.1', 'add a record'],
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
      summary: 'Import records from a zone file',
      load: () => import('./import.ts'),
    },
    {
      name: 'dns rm',
      summary: 'Delete a DNS record',
      load: () => import('./rm.ts'),
    },
  ],
}
