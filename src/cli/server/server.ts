import { defineCommand, oneOf, value } from '../command.ts'

export const ROLES = ['all', 'serve', 'work'] as const

/**
 * The platform itself, in this process: the supervisor is small, and signals arrive without a detour. It is loaded
 * only here, so that the other commands cost nothing more.
 */
export const command = defineCommand({
  doing: 'run the platform',
  teamless: true,
  about:
    'Reads its settings from `ALOFT_…` environment variables and from aloft.config.json in this folder. Data is stored in .aloft in this folder unless ALOFT_DATA_DIR is set. Runs until you press Ctrl-C or send SIGTERM.',
  options: {
    role: value('kind', `${ROLES.join(', ')}: run only this role, for dedicated machines`, oneOf(ROLES)),
  },
  examples: [
    ['server', 'the whole platform, on http://localhost:3000'],
    ['server --role work', 'only builds and functions'],
  ],
  async run(_cli, { role = 'all' }) {
    const { runServer } = await import('#src/process/run-server.ts')
    process.exit(await runServer(['--role', role]))
  },
})
