import { count } from '#contract/words/wording.ts'
import { defineCommand, flag } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { explained } from './stopped-server.ts'

/** Works on the data folder itself, with the code of the server, which is loaded only here. */
export const command = defineCommand({
  doing: 'move the database',
  about:
    'Run it on the server while Aloft is stopped, with the settings that you will start Aloft with: ALOFT_DATABASE_URL names an empty PostgreSQL database. Everything in the embedded SQLite database moves there, logs included, so every ID, token, domain and URL stays the same. Files stay in the data folder; if ALOFT_BLOB_URL is set as well, Aloft moves them to the object store after it starts. The SQLite files are kept until you delete them. If the move fails or is interrupted, nothing has changed.',
  options: {
    back: flag('move from PostgreSQL to SQLite; the PostgreSQL database is kept'),
  },
  examples: [
    ['operator move-database', 'from SQLite to the database that ALOFT_DATABASE_URL names'],
    ['operator move-database --back', 'from PostgreSQL to SQLite; then unset ALOFT_DATABASE_URL'],
  ],
  async run(cli, { back }) {
    const { moveDatabase } = await import('#src/process/data/move-database.ts')
    const moved = await moveDatabase({
      ...{ back, env: cli.env, cwd: cli.cwd },
      onProgress: (table, rows) => cli.out.status(`Moving ${table}  ${count(rows, 'row')}`),
    }).catch((error: unknown) => {
      throw explained(error)
    })
    const { rows, to, keptIn } = moved
    cli.out.show(moved, () =>
      [
        `Moved ${count(rows, 'row')} to ${to === 'sqlite' ? 'SQLite' : 'PostgreSQL'}.`,
        ...(keptIn === undefined
          ? []
          : [`The SQLite files are in ${plainText(keptIn)}; delete them when all is well.`]),
      ].join('\n'),
    )
    if (cli.out.json) return
    const next =
      to === 'sqlite'
        ? 'Now start the server without ALOFT_DATABASE_URL.'
        : 'Now start the server with the same settings.'
    cli.out.say(cli.out.talkColors.dim(next))
  },
})
