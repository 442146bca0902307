import { showBytes, timeLeft } from '#contract/amounts.ts'
import type { RestoreProgress } from '#contract/backup/backup.ts'
import { count } from '#contract/words/wording.ts'
import type { Cli } from '../cli.ts'
import { defineCommand, flag, required, value } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { explained } from './stopped-server.ts'

/**
 * Works on the data folder itself, with the code of the server, which is loaded only here: there is no server to ask
 * while there is nothing to serve.
 */
export const command = defineCommand({
  doing: 'use the backup',
  teamless: true,
  about:
    'Run it on the server while Aloft is stopped, with the settings that Aloft starts with (`ALOFT_…`, aloft.config.json). It restores into an empty data folder, and into an empty PostgreSQL database if ALOFT_DATABASE_URL names one. A backup made with SQLite can be restored to PostgreSQL and the other way round. The whole backup is checked first; if the restore fails, it leaves nothing behind.',
  arguments: { file: required('file created by `aloft operator backup`') },
  options: {
    dataDir: value('folder', 'instead of ALOFT_DATA_DIR'),
    key: value('file', 'the master key, if the backup does not include it'),
    passphraseFile: value('file', 'the passphrase, if the backup is encrypted'),
    check: flag('only check every entry of the file; restores nothing'),
    force: flag('restore into a folder that is not empty; its contents are moved to a folder beside it'),
  },
  examples: [
    ['operator restore backup.tar --key master.key', 'into the configured data folder'],
    ['operator restore backup.tar.sealed --passphrase-file passphrase', 'an encrypted backup'],
    ['operator restore backup.tar --data-dir /srv/aloft', 'a backup with its key, into another folder'],
    [
      'operator restore backup.tar --check',
      'check that it is complete; exits with 1 and lists damage otherwise',
    ],
  ],
  async run(cli, { file, dataDir, key, passphraseFile, check, force }) {
    const { checkBackup, restore } = await import('#src/process/data/restore.ts')
    const onProgress = showProgress(cli)
    if (check) {
      const found = await checkBackup({ file, passphraseFile, cwd: cli.cwd, onProgress }).catch((error) => {
        throw explained(error)
      })
      return cli.out.show(found, () =>
        [
          `${plainText(file)} is complete: ${count(found.rows, 'row')} and ${count(found.blobs, 'file content')} as of ${new Date(found.createdAt).toISOString()} (${showBytes(found.bytes)}).`,
          ...notSaved(found),
        ].join('\n'),
      )
    }
    const where = { env: cli.env, cwd: cli.cwd }
    const requested = { file, dataDir, keyFile: key, passphraseFile, force, ...where, onProgress }
    const restored = await restore(requested).catch((error: unknown) => {
      throw explained(error)
    })
    cli.out.show(restored, () => {
      const { rows, blobs, movedTo } = restored
      return [
        `Restored ${plainText(restored.dataDir)} to ${new Date(restored.createdAt).toISOString()}: ${count(rows, 'row')} (${restored.database}), ${count(blobs, 'file content')}.`,
        ...notSaved(restored),
        ...(movedTo === undefined ? [] : [`The previous contents are in ${plainText(movedTo)}.`]),
      ].join('\n')
    })
    if (!cli.out.json) cli.out.say(cli.out.talkColors.dim('Now start the server.'))
  },
})

const notSaved = ({ missing }: { readonly missing: number }): readonly string[] =>
  missing > 0 ? [`${count(missing, 'file content')} could not be included when the backup was created.`] : []

const STEPS = {
  check: 'Checking the backup',
  write: 'Restoring',
  finish: 'Moving everything into place',
} as const satisfies Record<RestoreProgress['step'], string>

/** Which step it is at and how far: a line that is redrawn on a terminal, a line for each step elsewhere. */
function showProgress({ out, now }: Cli): (progress: RestoreProgress) => void {
  let step: RestoreProgress['step'] | undefined
  let began = 0
  return (progress) => {
    if (progress.step !== step) {
      step = progress.step
      began = now()
      if (!out.live && !out.json) out.say(`${STEPS[step]}…`)
    }
    if (progress.step === 'finish') return out.status(`${STEPS.finish}…`)
    const { bytes, of } = progress
    const left = timeLeft(bytes, of, now() - began)
    out.status(`${STEPS[progress.step]}  ${showBytes(bytes)} of ${showBytes(of)}  ${left}`.trimEnd())
  }
}
