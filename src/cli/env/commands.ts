import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    env: {
      summary: 'Environment variables of a project',
      examples: [
        ['env add DATABASE_URL production', 'prompt for the value and set it'],
        ['env pull', 'write the development variables to .env.local'],
      ],
    },
  },
  commands: [
    ['env ls', 'List variables', () => import('./ls.ts')],
    ['env add', 'Set a variable', () => import('./add.ts')],
    ['env rm', 'Remove a variable', () => import('./rm.ts')],
    ['env pull', 'Write variables to .env.local', () => import('./pull.ts')],
    ['env push', 'Set variables from a .env file', () => import('./push.ts')],
  ],
}
