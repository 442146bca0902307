/** The same, but for all calls after the first, which do nothing. */
export function onlyOnce(work: () => void): () => void {
  let isOver = false
  return () => {
    if (isOver) return
    isOver = true
    work()
  }
}
