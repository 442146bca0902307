/** Does long work a bounded step at a time, and lets the process do something else in between. */
export async function inSteps<T>(
  items: readonly T[],
  size: number,
  step: (items: readonly T[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await new Promise(setImmediate)
    await step(items.length <= size ? items : items.slice(start, start + size))
  }
}
