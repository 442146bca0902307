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
    {
      name: 'env ls',
      summary: 'List variables',
      load: () => import('./ls.ts'),
    },
    {
      name: 'env add',
      summary: 'Set a variable',
      load: () => import('./add.ts'),
    },
    {
      name: 'env rm',
      summary: 'Remove a variable',
      load: () => import('./rm.ts'),
    },
    {
      name: 'env pull',
      summary: 'Write variables to .env.local',
      load: () => import('./pull.ts'),
    },
    {
      name: 'env push',
      summary: 'Set variables from a .env file',
      load: () => import('./push.ts'),
    },
  ],
}
