/**
 * Who is told when something changes, as `useSyncExternalStore` asks for it. `begin` is called when the first comes, and what it
 * returns when the last is gone.
 */
export function createListeners(begin?: (tell: () => void) => () => void) {
  const listeners = new Set<() => void>()
  let end: (() => void) | undefined
  const tell = () => {
    for (const each of listeners) each()
  }
  const subscribe = (listener: () => void) => {
    if (listeners.size === 0) end = begin?.(tell)
    listeners.add(listener)
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) end?.()
    }
  }
  return { tell, subscribe }
}
