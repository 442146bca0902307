/**
 * Work that takes turns: what is given under one key begins once everything given under it before has ended, well or
 * not. Work under different keys does not wait for each other.
 */
interface KeyedQueue {
  /** Settles as the work does. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Keys under which something runs or waits. */
  readonly size: number
}

export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<void>>()
  return {
    get size() {
      return last.size
    },
    run(key, work) {
      const done = (last.get(key) ?? Promise.resolve()).then(work)
      const settled = done
        .then(
          () => undefined,
          () => undefined,
        )
        .then(() => {
          if (last.get(key) === settled) last.delete(key)
        })
      last.set(key, settled)
      return done
    },
  }
}
