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
    { name: 'keys ls', summary: 'List your SSH keys', load: () => import('./ls.ts') },
    { name: 'keys add', summary: 'Add an SSH key', load: () => import('./add.ts') },
    { name: 'keys rm', summary: 'Remove an SSH key', load: () => import('./rm.ts') },
  ],
}
