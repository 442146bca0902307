import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    certs: {
      summary: 'Certificates',
      examples: [['certs issue example.com www.example.com', 'one for both names']],
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
      summary: 'Have a certificate issued',
      load: () => import('./issue.ts'),
    },
    { name: 'certs renew', summary: 'Renew a certificate now', load: () => import('./renew.ts') },
    {
      name: 'certs add',
      summary: 'Add a certificate of your own, from PEM files',
      load: () => import('./add.ts'),
    },
    {
      name: 'certs rm',
      summary: 'Delete a certificate',
      load: () => import('./rm.ts'),
    },
  ],
}
