import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    files: {
      summary: 'Files of a deployment',
      examples: [
        ['files ls', 'list the files of the live deployment'],
        ['files get index.html', 'print a file'],
      ],
    },
  },
  synonyms: { file: 'files' },
  commands: [
    { name: 'files ls', summary: 'List the files of a deployment', load: () => import('./ls.ts') },
    { name: 'files get', summary: 'Download a file of a deployment', load: () => import('./get.ts') },
  ],
}
