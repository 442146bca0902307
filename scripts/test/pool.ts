/**
 * Does all jobs, in this order as far as their shares fit: together, those under way never have more than `room`. Shares
 * are no more than guesses, so when `idle` says that the machine has little to do, one more is begun than fits.
 */
export async function inTurn<T extends { readonly share: number }>(
  jobs: readonly T[],
  room: number,
  run: (job: T) => Promise<void>,
  idle: () => Promise<void> = () => new Promise(() => {}),
): Promise<void> {
  const waiting = [...jobs]
  const running = new Set<Promise<void>>()
  let taken = 0
  const begin = (at: number): void => {
    const [job] = waiting.splice(at, 1) as [T]
    taken += job.share
    const done = run(job).finally(() => {
      taken -= job.share
      running.delete(done)
    })
    running.add(done)
  }
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex(({ share }) => running.size === 0 || taken + share <= room)
    if (next !== -1) {
      begin(next)
      continue
    }
    const mayAdd = waiting.length > 0 && running.size < MOST_PER_ROOM * room
    const isIdle = mayAdd ? idle().then(() => true) : new Promise<never>(() => {})
    if ((await Promise.race([...running, isIdle])) === true) begin(0)
  }
}

/** What waits now may want much in a moment, all at once. */
const MOST_PER_ROOM = 3
