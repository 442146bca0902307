import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    import: {
      summary: 'Import from another platform',
      examples: [
        ['import vercel --from-token $VERCEL_TOKEN', 'preview the import'],
        ['import vercel --from-token $VERCEL_TOKEN --yes', 'run the import'],
      ],
    },
  },
  commands: [
    [
      'import vercel',
      'Import projects, variables, domains and sites from Vercel',
      () => import('./vercel.ts'),
    ],
  ],
}
