import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = {
  groups: {
    keys: {
      summary: 'SSH keys for Git',
      examples: [
        ['keys add ~/.ssh/id_ed25519.pub', 'add a key'],
        ['keys ls', 'list your keys, and how to connect'],
      ],
    },
  },
  synonyms: { key: 'keys' },
  commands: [
    ['keys ls', 'List your SSH keys', () => import('./ls.ts')],
    ['keys add', 'Add an SSH key', () => import('./add.ts')],
    ['keys rm', 'Remove an SSH key', () => import('./rm.ts')],
  ],
}
