import { defineCommand, oneOf, value } from '../command.ts'

const ROLES = ['all', 'serve', 'work'] as const

/**
 * The platform itself, in this process: the supervisor is small, and signals arrive without a detour. It is loaded
 * only here, so that the other commands cost nothing more.
 */
export const command = defineCommand({
  doing: 'run the platform',
  about:
    'Settings come from `ALOFT_…` variables and from aloft.config.json in this folder, where the data is kept as well (.aloft) unless ALOFT_DATA_DIR says otherwise. It runs until it is told to stop, by ctrl-c or SIGTERM.',
  options: {
    role: value(
      'kind',
      `${ROLES.join(', ')}: one kind of processes, for machines of their own`,
      oneOf(ROLES),
    ),
  },
  examples: [
    ['server', 'the whole platform, on http://localhost:3000'],
    ['server --role work', 'only builds and functions'],
  ],
  async run(_cli, { role = 'all' }) {
    const { run } = await import('#src/process/start.ts')
    process.exit(await run(['--role', role]))
  },
})
