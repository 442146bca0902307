import { count } from '#contract/words/wording.ts'
import { defineCommand, flag } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { explained } from './stopped-server.ts'

/** Works on the data folder itself, with the code of the server, which is loaded only here. */
export const command = defineCommand({
  doing: 'move the database',
  teamless: true,
  about:
    'Run it on the server while Aloft is stopped, with the settings that you will start Aloft with: ALOFT_DATABASE_URL names an empty PostgreSQL database. Everything in the embedded SQLite database moves there, logs included, so every ID, token, domain and URL stays the same. If ALOFT_BLOB_URL is set as well, the contents of files are copied to that object store first, each verified by its hash; otherwise they stay in the data folder. If the command fails or is interrupted, the old installation is still complete; run it again to continue. To shorten the time that Aloft is stopped, first run it while Aloft is running: it then copies only contents. The old database and contents are kept until you delete them.',
  options: {
    back: flag('move from PostgreSQL to SQLite; the PostgreSQL database is kept'),
  },
  examples: [
    [
      'operator move-database',
      'from SQLite to the database that ALOFT_DATABASE_URL names, and from disk to the object store that ALOFT_BLOB_URL names, if any',
    ],
    ['operator move-database --back', 'from PostgreSQL to SQLite; then unset ALOFT_DATABASE_URL'],
  ],
  async run(cli, { back }) {
    const { moveDatabase } = await import('#src/process/data/move-database.ts')
    const moved = await moveDatabase({
      ...{ back, env: cli.env, cwd: cli.cwd },
      onProgress: (progress) =>
        cli.out.status(
          'table' in progress
            ? `Moving ${progress.table}  ${count(progress.rows, 'row')}`
            : `Copying contents  ${progress.contents} of ${progress.of}`,
        ),
    }).catch((error: unknown) => {
      throw explained(error)
    })
    const { rows, to, keptIn, contents = 0, damaged = 0 } = moved
    cli.out.show(moved, () =>
      [
        `Moved ${count(rows, 'row')} to ${to === 'sqlite' ? 'SQLite' : 'PostgreSQL'}.`,
        ...(contents > 0 ? [`The object store has ${count(contents, 'file content')}.`] : []),
        ...(damaged > 0 ? [`Not copied, because they are damaged: ${count(damaged, 'file content')}.`] : []),
        ...(keptIn === undefined
          ? []
          : [`The old installation is in ${plainText(keptIn)}; delete it when all is well.`]),
      ].join('\n'),
    )
    if (cli.out.json) return
    const next =
      to === 'sqlite'
        ? 'Now start the server without ALOFT_DATABASE_URL.'
        : `Now start the server with the same settings: ALOFT_DATABASE_URL${contents > 0 ? ', ALOFT_BLOB_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY' : ''}.`
    cli.out.say(cli.out.talkColors.dim(next))
  },
})
