import { SECOND } from '#contract/time.ts'

/** So long after a command takes connections, what changes may still be of its start. */
const SETTLING_MS = 3 * SECOND

interface Start {
  /** Undefined until the command takes connections, or has failed to. */
  endedAt: number | undefined
  sawChange: boolean
}

/**
 * Tells edits from what a command writes whenever it starts, such as a token of its own in `.env.local`: starting it again for
 * that would have no end. Nothing says who has written a file. So a change during a start counts as an edit, unless there was
 * one during the start before as well.
 */
export class OwnChanges {
  readonly #now: () => number
  #before: Start | undefined
  #start: Start | undefined

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The command is started. `ready` settles when it takes connections, or does not. */
  starts(ready: Promise<unknown>): void {
    const start: Start = { endedAt: undefined, sawChange: false }
    this.#before = this.#start
    this.#start = start
    const end = () => {
      start.endedAt = this.#now()
    }
    ready.then(end, end)
  }

  /** Whether the command itself made a change that is seen now, as far as can be told. */
  isOwn(): boolean {
    const start = this.#start
    if (start === undefined) return false
    if (start.endedAt !== undefined && this.#now() - start.endedAt >= SETTLING_MS) return false
    start.sawChange = true
    return this.#before?.sawChange === true
  }
}
