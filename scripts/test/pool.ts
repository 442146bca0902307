/** Does all jobs, in this order as far as their shares fit: together, those under way never have more than `room`. */
export async function inTurn<T extends { readonly share: number }>(
  jobs: readonly T[],
  room: number,
  run: (job: T) => Promise<void>,
): Promise<void> {
  const waiting = [...jobs]
  const running = new Set<Promise<void>>()
  let taken = 0
  const begin = (job: T): void => {
    taken += job.share
    const done = run(job).finally(() => {
      taken -= job.share
      running.delete(done)
    })
    running.add(done)
  }
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex(({ share }) => running.size === 0 || taken + share <= room)
    if (next === -1) await Promise.race(running)
    else begin(waiting.splice(next, 1)[0] as T)
  }
}
