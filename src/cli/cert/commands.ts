import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    certs: {
      summary: 'Certificates',
      examples: [['certs issue example.com www.example.com', 'issue one certificate for both domains']],
    },
  },
  synonyms: { cert: 'certs', 'certs upload': 'add' },
  commands: [
    {
      name: 'certs ls',
      summary: 'List certificates',
      load: () => import('./ls.ts'),
    },
    {
      name: 'certs issue',
      summary: 'Issue a certificate',
      load: () => import('./issue.ts'),
    },
    { name: 'certs renew', summary: 'Renew a certificate now', load: () => import('./renew.ts') },
    {
      name: 'certs add',
      summary: 'Upload your own certificate from PEM files',
      load: () => import('./add.ts'),
    },
    {
      name: 'certs rm',
      summary: 'Delete a certificate',
      load: () => import('./rm.ts'),
    },
  ],
}
