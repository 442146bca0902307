import { setTimeout } from 'node:timers/promises'
import { getStatus, runJob } from '#contract/api/operator.ts'
import { defineCommand } from '../command.ts'
import type { Output } from '../output/output.ts'
import { operatorHints } from './hints.ts'

const LOOK_MS = 1000
const LOOKS_A_MINUTE = 60

interface ContentMove {
  /** How many there are still to be moved. */
  readonly left: () => Promise<number>
  /** Until it is looked again. */
  readonly pause: () => Promise<unknown>
  readonly out: Pick<Output, 'say' | 'status'>
}

/** A job that fails is tried again, for as long as it takes: whoever waits is told where nothing comes of it. */
export async function untilMoved(before: number, { left, pause, out }: ContentMove): Promise<void> {
  let [now, looks] = [before, 0]
  while (now > 0) {
    await pause()
    const next = await left()
    looks = next < now ? 0 : looks + 1
    now = next
    if (looks === LOOKS_A_MINUTE)
      out.say(
        `Nothing was moved for a minute, with ${next} file contents left. The server's log says why; this command continues to wait.`,
      )
    out.status(`${next} file contents left to move`)
  }
}

export const command = defineCommand({
  doing: 'move the contents of files',
  teamless: true,
  about:
    'First change where content is stored and restart the server: set ALOFT_BLOB_URL to move from disk to an object store, or rename it to ALOFT_BLOB_FROM to move back. Sites stay online and deployments continue during the move. Each file is verified by its hash and removed from the old store once it is safe in the new one. An interrupted move resumes where it stopped.',
  examples: [['operator move-content', 'move everything and wait until it is done']],
  hints: operatorHints,
  async run(cli) {
    const api = cli.api()
    const left = async () => (await api.call(getStatus, {})).blobs.toMove
    const before = await left()
    if (before > 0) await api.call(runJob, { params: { name: 'files.move' } })
    await untilMoved(before, { left, pause: () => setTimeout(LOOK_MS), out: cli.out })
    cli.out.show({ moved: before }, () =>
      before === 0
        ? 'Nothing to move: all file contents are in the current store.'
        : `Moved ${before} file contents.`,
    )
  },
})
