import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    env: {
      summary: 'Environment variables of a project',
      examples: [
        ['env add DATABASE_URL production', 'ask for the value, then set it'],
        ['env pull', 'the development variables, into .env.local'],
      ],
    },
  },
  commands: [
    {
      name: 'env ls',
      summary: 'List variables; values with --reveal',
      load: () => import('./ls.ts'),
    },
    {
      name: 'env add',
      summary: 'Set a variable, with its value from stdin or asked for',
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
      summary: 'Set the variables of a .env file',
      load: () => import('./push.ts'),
    },
  ],
}
