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
    ['dns ls', 'List the DNS records of a domain', () => import('./ls.ts')],
    ['dns add', 'Add a DNS record', () => import('./add.ts')],
    ['dns import', 'Import records from a zone file', () => import('./import.ts')],
    ['dns rm', 'Delete a DNS record', () => import('./rm.ts')],
  ],
}
