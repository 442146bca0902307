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
    ['certs ls', 'List certificates', () => import('./ls.ts')],
    ['certs issue', 'Issue a certificate', () => import('./issue.ts')],
    ['certs renew', 'Renew a certificate now', () => import('./renew.ts')],
    ['certs add', 'Upload your own certificate from PEM files', () => import('./add.ts')],
    ['certs rm', 'Delete a certificate', () => import('./rm.ts')],
  ],
}
