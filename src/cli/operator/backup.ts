import { open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { makeBackup } from '#contract/api/operator.ts'
import { showBytes, showCount } from '../bytes.ts'
import type { Cli } from '../cli.ts'
import { defineCommand, flag, value } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { checkedDownload } from './checked-download.ts'
import { operatorHints } from './hints.ts'

export const command = defineCommand({
  doing: 'make the backup',
  about:
    'Everything in one tar file, as it is at one moment, while the server runs: accounts, projects, deployments and their files, domains, certificates, secrets. Secrets are sealed under the master key, which is not in it: keep that key somewhere else, or add --with-key and keep the file as safe as the key.',
  options: {
    output: value('file', 'where to; `-` is stdout; otherwise aloft-backup-<time>.tar in this folder'),
    logs: flag('with the logs and statistics of deployments'),
    withKey: flag('with the master key: whoever has the file can then read every secret'),
  },
  examples: [
    ['operator backup', 'into this folder'],
    ['operator backup --output /backups/monday.tar --logs', 'with the logs, to a place of your own'],
    ['operator backup --output - | zstd > backup.tar.zst', 'smaller'],
  ],
  hints: { ...operatorHints, conflict: 'Wait until the other backup is done.' },
  async run(cli, { output, logs, withKey }) {
    if (output === '-' && cli.out.json)
      throw usageError('--json and `--output -` both want stdout.', 'Leave one of them out.')
    if (output === '-' && cli.out.seen)
      throw usageError('A backup is not for a terminal.', 'Name a file with --output, or pipe it on.')
    const answer = await cli.api().call(makeBackup, { query: { logs, key: withKey } })
    const expected = Number(answer.headers.get('x-aloft-backup-bytes') ?? 0)
    let bytes = 0
    let missing = 0
    const download = checkedDownload(answer.body as AsyncIterable<Uint8Array>, (total) => {
      bytes = total
      cli.out.status(`${showBytes(total)} of ${showBytes(Math.max(expected, total))}`)
    })
    async function* content(): AsyncGenerator<Uint8Array> {
      missing = (yield* download).missing
    }
    if (output === '-') await cli.out.stream(content())
    else {
      const file = resolve(cli.cwd, output ?? proposedName(answer))
      await save(file, content())
      cli.out.show({ file, bytes, missing, logs, key: withKey }, () => `${file} (${showBytes(bytes)})`)
      if (!withKey) sayKey(cli)
    }
    if (missing > 0)
      throw new CliError(
        EXIT.failure,
        `The backup is made, but ${showCount(missing, 'file')} of deployments could not be saved: damaged or lost on the server.`,
        'Its log names them; `aloft operator doctor` says how to heal them.',
      )
  },
})

/** Nothing that a server says becomes a path by itself. */
const proposedName = (answer: Response): string =>
  /filename="(aloft-backup-[\d-]{1,32}\.tar)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ??
  'aloft-backup.tar'

function sayKey({ out }: Cli): void {
  if (!out.json)
    out.say(
      out.talkColors.dim(
        'The master key is not in it: without a copy of `master.key`, its secrets cannot be read.',
      ),
    )
}

/** Under its name there is only ever a whole backup. */
async function save(file: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const partial = `${file}.part`
  const there = await open(file, 'r').catch(() => undefined)
  await there?.close()
  if (there) throw new CliError(EXIT.failure, `${file} is there already.`, 'Name another file with --output.')
  const handle = await open(partial, 'w', 0o600)
  try {
    await handle.chmod(0o600)
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
