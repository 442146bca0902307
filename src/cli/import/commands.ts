import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    import: {
      summary: 'Bring along what you have elsewhere',
      examples: [
        ['import vercel --from-token $VERCEL_TOKEN', 'show what would come along'],
        ['import vercel --from-token $VERCEL_TOKEN --yes', 'bring it'],
      ],
    },
  },
  commands: [
    {
      name: 'import vercel',
      summary: 'Bring projects, variables, domains and sites from Vercel',
      load: () => import('./vercel.ts'),
    },
  ],
}
