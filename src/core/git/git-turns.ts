import type { Turns } from '../turns.ts'

/**
 * Runs of git that clients of one account have at once in each serving process. Each may take a core and a gigabyte; the
 * next one waits.
 */
export const RUNS_AT_ONCE = 8

/** Starts a run of git when it is the account's turn, which is over when git has ended. */
export async function inTurn<T extends { readonly ended: Promise<void> }>(
  turns: Turns,
  ownerId: string,
  start: () => Promise<T>,
): Promise<T> {
  const giveBack = await turns.take(ownerId)
  try {
    const run = await start()
    run.ended.then(giveBack, giveBack)
    return run
  } catch (error) {
    giveBack()
    throw error
  }
}
