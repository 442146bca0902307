import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    files: {
      summary: 'What was uploaded for a deployment',
      examples: [
        ['files ls', 'the files of what is live'],
        ['files get index.html', 'one of them'],
      ],
    },
  },
  synonyms: { file: 'files' },
  commands: [
    { name: 'files ls', summary: 'List the files of a deployment', load: () => import('./ls.ts') },
    { name: 'files get', summary: 'Read a file of a deployment', load: () => import('./get.ts') },
  ],
}
