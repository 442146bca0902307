import { setTimeout } from 'node:timers/promises'
import { getStatus, runJob } from '#contract/api/operator.ts'
import { defineCommand } from '../command.ts'
import { operatorHints } from './hints.ts'

const LOOK_MS = 1000

export const command = defineCommand({
  doing: 'move the contents of files',
  about:
    'First change where contents are kept and start the server again: ALOFT_BLOB_URL to go from the disk to an object store; ALOFT_BLOB_FROM in its place to go back. Sites are served and deployments made meanwhile. Each content is checked by its hash and removed from where it was once it is safe; a move that was interrupted goes on where it was.',
  examples: [['operator move-content', 'move everything and wait for the end']],
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
      cli.out.status(`${next} contents are left to move`)
      now = next
    }
    cli.out.show({ moved: before }, () =>
      before === 0 ? 'All contents are where they are kept.' : `Moved ${before} contents.`,
    )
  },
})
