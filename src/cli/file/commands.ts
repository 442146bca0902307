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
    ['files ls', 'List the files of a deployment', () => import('./ls.ts')],
    ['files get', 'Download a file of a deployment', () => import('./get.ts')],
  ],
}
