import { open, readFile, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { showBytes, timeLeft } from '#contract/amounts.ts'
import { makeBackup } from '#contract/api/operator.ts'
import { readPassphrase, SHORTEST_PASSPHRASE, sealBackup } from '#contract/backup/sealed-backup.ts'
import { count } from '#contract/words/wording.ts'
import type { Cli } from '../cli.ts'
import { defineCommand, flag, value } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { checkedDownload, type Downloaded } from './checked-download.ts'
import { operatorHints } from './hints.ts'

export const command = defineCommand({
  doing: 'create the backup',
  teamless: true,
  about:
    'Writes a consistent snapshot of everything to one tar file while the server keeps running: accounts, projects, deployments and their files, domains, certificates and secrets. Secrets are encrypted with the master key, which is not included: store that key separately, or add --with-key and protect the file as you would the key. --passphrase-file encrypts the whole file (AES-256-GCM, key derived with scrypt); without the passphrase nobody can restore it, including you.',
  options: {
    output: value(
      'file',
      'file to write, or `-` for stdout; defaults to aloft-backup-<time>.tar in this folder',
    ),
    logs: flag('include the logs and statistics of deployments'),
    passphraseFile: value('file', 'encrypt the backup with the passphrase in this file'),
    withKey: flag('include the master key: anyone who has the file can then read every secret'),
  },
  examples: [
    ['operator backup', 'into this folder'],
    ['operator backup --output /backups/monday.tar --logs', 'with logs, to another folder'],
    [
      'operator backup --passphrase-file passphrase --with-key',
      'encrypted, with everything a restore needs except the passphrase',
    ],
    ['operator backup --output - | zstd > backup.tar.zst', 'smaller'],
  ],
  hints: { ...operatorHints, conflict: 'Wait until the other backup is done.' },
  async run(cli, { output, logs, withKey, passphraseFile }) {
    if (output === '-' && cli.out.json)
      throw usageError('--json and `--output -` both write to stdout.', 'Use only one of them.')
    if (output === '-' && cli.out.seen)
      throw usageError(
        'A backup cannot be printed to a terminal.',
        'Name a file with --output, or pipe it to another command.',
      )
    const passphrase = passphraseFile === undefined ? undefined : await passphraseIn(cli, passphraseFile)
    const answer = await cli.api().call(makeBackup, { query: { logs, key: withKey } })
    const expected = Number(answer.headers.get('x-aloft-backup-bytes') ?? 0)
    const began = cli.now()
    let bytes = 0
    let { missing, names }: Downloaded = { missing: 0, names: [] }
    const download = checkedDownload(answer.body as AsyncIterable<Uint8Array>, (total) => {
      bytes = total
      const left = timeLeft(total, expected, cli.now() - began)
      cli.out.status(`${showBytes(total)} of ${showBytes(Math.max(expected, total))}  ${left}`.trimEnd())
    })
    async function* content(): AsyncGenerator<Uint8Array> {
      ;({ missing, names } = yield* download)
    }
    const kept = passphrase === undefined ? content() : sealBackup(content(), passphrase)
    if (output === '-') await cli.out.stream(kept)
    else {
      const file = resolve(
        cli.cwd,
        output ?? `${proposedName(answer)}${passphrase === undefined ? '' : '.sealed'}`,
      )
      await save(file, kept)
      const sealed = passphrase !== undefined
      cli.out.show(
        { file, bytes, missing, notSaved: names, logs, key: withKey, sealed },
        () => `${file} (${showBytes(bytes)})`,
      )
      if (!withKey) sayKey(cli)
    }
    if (missing > 0) {
      for (const name of names.slice(0, MOST_NAMED)) cli.out.say(`Not saved: ${name}`)
      if (missing > MOST_NAMED && names.length > 0) cli.out.say(`Not saved: ${missing - MOST_NAMED} more`)
      throw new CliError(
        EXIT.failure,
        `The backup was created, but ${count(missing, 'file')} of deployments could not be included: damaged or missing on the server.`,
        'Their SHA-256 hashes are in `missing.txt` in the backup; `aloft operator doctor` explains how to repair them.',
      )
    }
  },
})

/** Lines that are no more than a screen. */
const MOST_NAMED = 20

/** Read before anything is asked of the server, so that no backup is made for nothing. */
async function passphraseIn({ cwd }: Cli, file: string): Promise<string> {
  const path = resolve(cwd, file)
  const text = await readFile(path, 'utf8').catch(() => {
    throw usageError(
      `${path} cannot be read.`,
      'Pass a file that contains the passphrase. `openssl rand -base64 24` prints a good one.',
    )
  })
  const passphrase = readPassphrase(text)
  if (passphrase.length < SHORTEST_PASSPHRASE)
    throw usageError(
      `The passphrase in ${path} is shorter than ${SHORTEST_PASSPHRASE} characters.`,
      'Use a longer one. `openssl rand -base64 24` prints a good one.',
    )
  return passphrase
}

/** Nothing that a server says becomes a path by itself. */
const proposedName = (answer: Response): string =>
  /filename="(aloft-backup-[\d-]{1,32}\.tar)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ??
  'aloft-backup.tar'

function sayKey({ out }: Cli): void {
  if (!out.json)
    out.say(
      out.talkColors.dim(
        'The master key is not included: without a copy of `master.key`, the secrets cannot be read.',
      ),
    )
}

/** Under its name there is only ever a whole backup. */
async function save(file: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const partial = `${file}.part`
  const there = await open(file, 'r').catch(() => undefined)
  await there?.close()
  if (there) throw new CliError(EXIT.failure, `${file} already exists.`, 'Name another file with --output.')
  // What an interrupted one left. Others may write into the folder, as in /tmp: nothing of theirs is written to, nor a link followed.
  await rm(partial, { force: true })
  const handle = await open(partial, 'wx', 0o600)
  try {
    for await (const chunk of content) await handle.writeFile(chunk)
    await handle.sync()
    await handle.close()
    await rename(partial, file)
  } catch (error) {
    await handle.close()
    await rm(partial, { force: true })
    throw error
  }
}
