import { setTimeout } from 'node:timers/promises'
import { getStatus, runJob } from '#contract/api/operator.ts'
import { defineCommand } from '../command.ts'
import { operatorHints } from './hints.ts'

const LOOK_MS = 1000

export const command = defineCommand({
  doing: 'move the contents of files',
  about:
    'First change where content is stored and restart the server: set ALOFT_BLOB_URL to move from disk to an object store, or rename it to ALOFT_BLOB_FROM to move back. Sites stay online and deployments continue during the move. Each file is verified by its hash and removed from the old store once it is safe in the new one. An interrupted move resumes where it stopped.',
  examples: [['operator move-content', 'move everything and wait until it is done']],
  hints: operatorHints,
  async run(cli) {
    const api = cli.api()
    const left = async () => (await api.call(getStatus, {})).blobs.toMove
    const before = await left()
    if (before > 0) await api.call(runJob, { params: { name: 'files.move' } })
    let now = before
    while (now > 0) {
      await setTimeout(LOOK_MS)
      const next = await left()
      cli.out.status(`${next} file contents left to move`)
      now = next
    }
    cli.out.show({ moved: before }, () =>
      before === 0
        ? 'Nothing to move: all file contents are in the current store.'
        : `Moved ${before} file contents.`,
    )
  },
})
