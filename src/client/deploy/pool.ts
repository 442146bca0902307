/** Does `work` for every item, at most so many at once, and stops taking more at the first failure. */
export async function forEachAtOnce<T>(
  items: readonly T[],
  most: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  let failed = false
  const take = async () => {
    while (!failed && next < items.length) {
      const index = next++
      try {
        await work(items[index] as T, index)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  // All of them end before this does, so that nothing goes on behind the caller's back.
  const ends = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, take))
  const bad = ends.find((end) => end.status === 'rejected')
  if (bad) throw bad.reason
}
